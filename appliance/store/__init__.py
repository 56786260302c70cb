"""SQLite is the truth; indexes, caches and blobs."""
