"""Measuring: evaluations of retrieval and answers."""
