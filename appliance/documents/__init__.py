"""Files in: detect, parse in a sandbox, structure, cut into passages."""
