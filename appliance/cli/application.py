"""The command tree, and the one place where an error becomes a line on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from appliance.cli import (
    asking,
    caches,
    connectors,
    documents,
    domains,
    evaluations,
    ingesting,
    installation,
    jobs,
    knowledge,
    reviews,
    runs,
    searching,
    understanding,
)
from appliance.cli.session import Session
from appliance.errors import AssayError, CancelledError

INTERRUPTED = 130
STOPPED = "stopped — nothing is lost; run the same command to go on"
app = typer.Typer(
    name="assay",
    help="Hard questions over your own documents, answered with claims that can be checked. Offline.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (
    installation,
    ingesting,
    jobs,
    documents,
    searching,
    connectors,
    asking,
    runs,
    reviews,
    knowledge,
    evaluations,
    caches,
    domains,
    understanding,
):
    group.register(app)


@app.callback()
def options(
    context: typer.Context,
    config: Annotated[Path | None, typer.Option(help="Configuration file (TOML).", metavar="FILE")] = None,
    data: Annotated[Path | None, typer.Option(help="Data folder.", metavar="DIR")] = None,
    as_user: Annotated[str, typer.Option(help="Ask as this user.", metavar="NAME")] = "local",
    as_group: Annotated[
        list[str] | None, typer.Option(help="Ask as a member of this group; repeatable.", metavar="GROUP")
    ] = None,
) -> None:
    """Keep the global options for the command."""
    context.obj = Session(
        config_file=config,
        data=data,
        command=f"assay {context.invoked_subcommand or ''}",
        user=as_user,
        groups=tuple(as_group or ()),
    )


FULL = (
    "the disk is full — free some space and run the same command again: nothing that was acknowledged is lost"
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    try:
        given = list(arguments) if arguments is not None else None
        result = app(args=given, prog_name="assay", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        return _usage(error)
    except typer.Abort:
        return _say("stopped", INTERRUPTED)
    except CancelledError as error:
        return _say(str(error), INTERRUPTED)
    except AssayError as error:
        return _say(f"error: {error}", error.exit_code)
    except (BrokenPipeError, SystemExit):
        # The reader (head, less) has left (Typer turns that into SystemExit): nothing more to say, and no
        # traceback at interpreter exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _say(f"error: {FULL}", 1)
        return _say(f"error: {error.strerror or error}: {error.filename or ''}", 1)
    except KeyboardInterrupt:
        return _say(STOPPED, INTERRUPTED)
    if result == INTERRUPTED:
        return _say(STOPPED, INTERRUPTED)
    return result if isinstance(result, int) else 0


def _usage(error: typer.TyperException) -> int:
    # Typer keeps its vendored click private; what a usage error says and its exit code are found by name.
    line = getattr(error, "format_message", lambda: str(error))()
    if line:
        command = getattr(getattr(error, "ctx", None), "command_path", "assay")
        _say(f"error: {line} — see: {command} --help", 2)
    return getattr(error, "exit_code", 2)


def _say(line: str, code: int) -> int:
    print(" ".join(line.splitlines()), file=sys.stderr)
    return code
