"""Tools that compute: exact arithmetic over amounts as documents write them, and readers of tables."""
