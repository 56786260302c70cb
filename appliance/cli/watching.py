"""``assay ingest DIR --watch --sync``: a collection kept in step with a folder until Ctrl-C.

Between two changes the data folder is free for other commands.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from appliance.cli.ingesting import figures, tell_figures
from appliance.cli.session import Session, interruptible, session_of, warn

if TYPE_CHECKING:
    from appliance.domain import MetadataChange, Priority
    from appliance.ingest import Folder, FolderReport, FolderSettings
    from appliance.ingest.progress import Cancelled, Tell

Work = Callable[["Folder", "Tell"], "FolderReport"]
BUSY_AGAIN_S = 2.0


def keep(
    context: typer.Context,
    paths: list[Path],
    collection: str,
    priority: Priority,
    change: MetadataChange,
    *,
    watch: bool,
    sync: bool,
    force: bool,
    json: bool,
) -> int:
    """Take in the folder once, then with ``watch`` whatever changes in it; the exit code of the first.

    Raises UserError: more than one path, no folder, or a folder that has lost most of its files.
    """
    from appliance.errors import UserError
    from appliance.ingest import FolderSettings
    from appliance.ingest.watching import FolderWatch

    if len(paths) != 1 or not paths[0].is_dir():
        raise UserError("--watch and --sync take one folder", hint="run the command once for each")
    session, folder = session_of(context), paths[0]
    settings = FolderSettings(
        folder=folder, collection=collection, sync=sync, force=force, priority=priority, change=change
    )
    with interruptible() as cancelled:
        watched = None
        if watch:
            watched = FolderWatch(folder, settle_s=session.config().ingest.settle_s, warn=warn)
        unrested = watched.unrested if watched else frozenset[Path]()
        code = _take(
            session,
            settings,
            lambda it, tell: it.everything(unrested=unrested, tell=tell, cancelled=cancelled),
            json,
        )
        if watched is None:
            return code
        print(f"watching {folder}; Ctrl-C ends it", file=sys.stderr, flush=True)
        for seen in watched.changes(cancelled):
            changed, removed = seen.changed, seen.removed
            _patiently(
                session,
                settings,
                lambda it, tell, c=changed, r=removed: it.changes(c, r, tell=tell, cancelled=cancelled),
                json,
                cancelled,
            )
    return code


def _take(session: Session, settings: FolderSettings, work: Work, json: bool) -> int:
    from appliance.cli.progress import IngestDisplay

    with session.appliance() as appliance, IngestDisplay() as display:
        report = work(appliance.folder(settings), display.tell)
    found = msgspec.structs.replace(
        figures(report.ingest, settings.collection),
        renamed=list(report.renamed),
        deleted=list(report.deleted),
        kept=list(report.kept),
    )
    return tell_figures(found, json)


def _patiently(
    session: Session, settings: FolderSettings, work: Work, json: bool, cancelled: Cancelled
) -> None:
    """One change; waits for another command to let go of the data folder, and tells what goes wrong."""
    from appliance.errors import BusyError, CancelledError, UserError

    said = False
    while not cancelled():
        try:
            _take(session, settings, work, json)
            sys.stdout.flush()
            return
        except BusyError as error:
            if not said:
                warn(f"{error.message}; the change waits")
                said = True
            time.sleep(BUSY_AGAIN_S)
        except CancelledError:
            return
        except UserError as error:
            warn(str(error))
            return
