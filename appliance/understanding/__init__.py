"""What the question asks, before anything is searched."""
