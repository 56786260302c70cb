"""Documents that a text names by their titles: how a search goes from a passage to what it speaks of."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.domain import DocumentId, Scope
from appliance.store.sqlite import Database
from appliance.store.title_keys import mentioned_keys
from appliance.store.visibility import json_text, readable

TEXT_CHARS = 3_000
"""Names further down in a passage are not looked up."""
NAMESAKES = 5
"""A title that more documents bear (``Annual report``) names none of them."""


class Titles:
    """Implements ``ports.TitleLookup``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def named_in(self, texts: Sequence[str], scope: Scope) -> list[tuple[DocumentId, ...]]:
        """Per text the readable documents whose titles it names, in its order, longer names first."""
        keys = [mentioned_keys(text[:TEXT_CHARS]) for text in texts]
        bearers = self._bearers(list(dict.fromkeys(key for found in keys for key in found)), scope)
        return [
            tuple(dict.fromkeys(one for key in _longest(found, bearers) for one in bearers[key]))
            for found in keys
        ]

    def _bearers(self, keys: list[str], scope: Scope) -> dict[str, list[DocumentId]]:
        """Documents by title key; the collection must be named: titles of another one mean nothing here."""
        if not keys or scope.collection is None:
            return {}
        may = readable(scope)
        rows = self._database.query(
            "SELECT d.title_key, d.id FROM json_each(?) k CROSS JOIN documents d"
            " ON d.collection = ? AND d.title_key = k.value AND d.title_key <> ''"
            f" WHERE {may.sql} ORDER BY d.id",
            (json_text(keys), scope.collection, *may.parameters),
        )
        found: dict[str, list[DocumentId]] = {}
        for row in rows:
            found.setdefault(str(row[0]), []).append(DocumentId(row[1]))
        return {key: documents for key, documents in found.items() if len(documents) <= NAMESAKES}


def _longest(keys: list[str], known: dict[str, list[DocumentId]]) -> list[str]:
    """The known keys, without those that only stand inside a longer one (``York`` in ``New York``)."""
    present = [key for key in keys if key in known]
    return [key for key in present if not any(key != other and key in other for other in present)]
