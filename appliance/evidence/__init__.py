"""From passages to the sentences that bear on a task."""
