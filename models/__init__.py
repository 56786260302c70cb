"""Model weights: what the manifest names, how it is fetched, checked and converted."""
