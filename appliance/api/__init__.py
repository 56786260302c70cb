"""The HTTP door: routes over the same use-cases as the command line, and the only place that knows HTTP."""
