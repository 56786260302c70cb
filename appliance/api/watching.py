"""The folders of ``ingest.watch``: one thread each keeps a collection in step while the server runs."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from appliance.config import WatchedFolder
from appliance.errors import AssayError, CancelledError
from appliance.ingest import FolderSettings
from appliance.ingest.watching import FolderWatch
from appliance.wiring import Appliance

logger = logging.getLogger("assay.watch")
AGAIN_S = 60.0
"""A folder that is missing or has lost most of its files is looked at again this often."""
STOP_S = 60.0


class FolderKeepers:
    """Owns the threads."""

    def __init__(self, appliance: Appliance) -> None:
        self._appliance = appliance
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._keep, args=(each,), name=f"assay-watch-{each.folder}", daemon=True)
            for each in appliance.config.ingest.watch
        ]

    def start(self) -> None:
        """Take in every folder, then watch it."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop after the batch in hand."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(STOP_S)

    def _keep(self, watched: WatchedFolder) -> None:
        path = Path(watched.folder).expanduser()
        settings = FolderSettings(folder=path, collection=watched.collection, sync=watched.sync)
        folder = self._appliance.folder(settings)
        stopped = self._stopping.is_set
        while not stopped():
            try:
                watch = FolderWatch(
                    path, settle_s=self._appliance.config.ingest.settle_s, warn=self._appliance.warn
                )
                folder.everything(unrested=watch.unrested, cancelled=stopped)
                for change in watch.changes(stopped):
                    folder.changes(change.changed, change.removed, cancelled=stopped)
            except CancelledError:
                return
            except AssayError as error:
                self._appliance.warn(f"{path}: {error}")
            except Exception:
                logger.exception("watching %s failed", path)
            self._stopping.wait(AGAIN_S)
