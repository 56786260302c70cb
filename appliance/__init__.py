"""Assay: hard questions over an institution's own documents, answered with claims that can be checked."""
