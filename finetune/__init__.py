"""Training scripts, one flat file a model. Not part of the installed product."""
