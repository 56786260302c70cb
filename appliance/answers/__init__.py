"""Claims: written, cited, checked."""
