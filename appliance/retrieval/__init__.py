"""Wide recall, fusion, cross-encoder."""
