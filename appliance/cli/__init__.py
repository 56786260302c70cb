"""The command ``assay``. One file per group; the command that runs imports the heavy parts."""

from __future__ import annotations


def main() -> int:
    """Exit code: 0 done, 1 failed, 2 wrong usage, 3 partly done, 130 interrupted."""
    from appliance.cli.application import run

    return run()
