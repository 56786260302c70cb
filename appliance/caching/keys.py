"""The key of a result: a hash over all that it depends on.

Arrives: the asker's scope and what was asked. Leaves: a :class:`Key`, or none where a result could not be
bound to a collection's state.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from appliance.domain import Scope
from appliance.store.cache_counts import Kind
from appliance.store.epochs import Epoch, Epochs
from appliance.store.tiers import Key

FORMAT = 1
"""Grows when an entry's content is read otherwise than before."""
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_END = re.compile(r"[\s?？.。!！]+$")


def plain(question: str) -> str:
    """A question without what means nothing: width, composition, blanks, the mark at its end.

    Case stays (``US`` is not ``us``), and so does every character with a meaning (``10²``).
    """
    text = " ".join(unicodedata.normalize("NFC", question).translate(_FULL_WIDTH).split())
    return _END.sub("", text) or text


class Keys:
    """Makes keys. Safe to share between threads."""

    def __init__(self, epochs: Epochs, made_by: Callable[[str], str]) -> None:
        """``made_by`` of a collection: a digest of the configuration, the models and the program."""
        self._epochs, self._made_by = epochs, made_by

    def epoch(self, scope: Scope) -> Epoch | None:
        """The state of the scope's collection, for its asker."""
        return self._epochs.of(scope)

    def of(self, kind: Kind, scope: Scope, *parts: object) -> Key | None:
        """The key of what ``parts`` (anything that JSON holds) gives this asker now; None: not to be kept.

        Make it before the result: one that took a while is then bound to the state that it began with, and
        is never found once that has changed.
        """
        epoch = self._epochs.of(scope)
        if epoch is None or scope.collection is None:
            return None
        described = msgspec.json.encode(
            (
                FORMAT,
                kind,
                scope.collection,
                epoch.token,
                epoch.visible_as,
                sorted(scope.documents),
                self._made_by(scope.collection),
                parts,
            ),
            order="sorted",
        )
        return Key(kind=kind, collection=scope.collection, digest=hashlib.sha256(described).hexdigest())


def code_mark(folders: Iterable[Path]) -> str:
    """A digest of names, sizes and times of the files below: another program, prompt or head, another mark.

    About 1 ms for 350 files.
    """
    digest = hashlib.sha256()
    for folder in folders:
        for root, names, files in os.walk(folder):
            names.sort()
            for name in sorted(files):
                if not name.endswith(".pyc"):
                    path = Path(root) / name
                    found = path.stat()
                    digest.update(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    return digest.hexdigest()
