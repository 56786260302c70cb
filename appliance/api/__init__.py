"""The HTTP door: routes over the use-cases of wiring; the only place where errors become statuses."""
