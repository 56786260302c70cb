"""Model adapters, each named after its vendor."""
