"""When a collection last changed, and which groups matter in it: what every cached result is bound to.

SQLite's triggers (migration ``m013_memory``) keep both: whoever writes a document, a version, a
permission or an index changes the token in the same transaction.
"""

from __future__ import annotations

import msgspec

from appliance.domain import Scope
from appliance.store.sqlite import Database


class Epoch(msgspec.Struct, frozen=True, kw_only=True):
    """One collection as it stands for one asker."""

    token: str
    """Another one after every change."""
    visible_as: tuple[str, ...]
    """Those of the asker's groups (and ``user:NAME``) that the collection's permissions ever named, sorted.

    Two askers with the same ones see the same documents.
    """


class Epochs:
    """Reads the epochs. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope) -> Epoch | None:
        """The epoch of the scope's collection for its asker; None without a collection, or an unknown one.

        Token and marks are of one moment: a permission that is new cannot be missing beside a new token.
        """
        if scope.collection is None:
            return None
        row = self._database.one(
            "SELECT e.token, (SELECT json_group_array(a.mark) FROM access_marks a"
            " WHERE a.collection = e.collection) AS marks FROM epochs e WHERE e.collection = ?",
            (scope.collection,),
        )
        if row is None:
            return None
        named = set(msgspec.json.decode(row["marks"], type=list[str]))
        return Epoch(token=str(row["token"]), visible_as=tuple(sorted(named & set(scope.denied_as()))))
