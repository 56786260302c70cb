"""A decoded answer and the places of its parts, made into hits.

Arrives: JSON of any shape. Leaves: an :class:`ExternalRetrieval` that counts what it left out, or an
ExternalError where the answer has no list of results at all.
"""

from __future__ import annotations

import datetime
from typing import cast
from urllib.parse import urlsplit

from appliance.config_connectors import Fields
from appliance.connectors.cleaning import TEXT_CHARS, TITLE_CHARS, iso_date, plain_text, web_address
from appliance.connectors.pointers import ABSENT, at
from appliance.domain import ExternalHit, ExternalRetrieval, Struct
from appliance.errors import ExternalError

MAX_ROWS = 1_000
"""Rows of one answer that are looked at."""


class Places(Struct, frozen=True, kw_only=True):
    """JSON pointers: ``items`` in the answer, the others in an item; an empty one: there is none."""

    items: str
    title: str
    text: str
    url: str
    published: str = ""
    excerpt: str = ""
    """Used instead of ``text`` where an item has it."""

    def changed_by(self, fields: Fields) -> Places:
        """These places, except for those that the configuration names."""
        return Places(
            items=self.items if fields.items is None else fields.items,
            title=self.title if fields.title is None else fields.title,
            text=self.text if fields.text is None else fields.text,
            url=self.url if fields.url is None else fields.url,
            published=self.published if fields.published is None else fields.published,
            excerpt=self.excerpt,
        )


def hits_of(answer: object, places: Places, *, source: str, k: int) -> ExternalRetrieval:
    """Up to ``k`` hits in the answer's order. Raises ExternalError when there is no list at ``items``."""
    rows = at(answer, places.items)
    if rows is None:
        return ExternalRetrieval()
    if not isinstance(rows, list):
        where = places.items or "its top"
        raise ExternalError(
            f"its answer has no list of results at {where}",
            hint="check kind, url and fields.items of the source",
        )
    now = datetime.datetime.now(datetime.UTC)
    hits: list[ExternalHit] = []
    left_out = 0
    for row in cast("list[object]", rows)[:MAX_ROWS]:
        if len(hits) == k:
            break
        hit = _hit(row, places, source, len(hits) + 1, now)
        if hit is None:
            left_out += 1
        else:
            hits.append(hit)
    notes = (f"{left_out} results without text or a web address left out",) if left_out else ()
    return ExternalRetrieval(hits=tuple(hits), degraded=notes)


def _hit(row: object, places: Places, source: str, rank: int, now: datetime.datetime) -> ExternalHit | None:
    """The row as a hit; None for one with nothing to read, or without the address that it should have."""
    url = web_address(_part(row, places.url))
    text = plain_text(_part(row, places.excerpt), TEXT_CHARS) or plain_text(
        _part(row, places.text), TEXT_CHARS
    )
    title = plain_text(_part(row, places.title), TITLE_CHARS)
    if (places.url and not url) or not (text or title):
        return None
    return ExternalHit(
        title=title or (urlsplit(url).hostname or source),
        text=text,
        url=url,
        source=source,
        rank=rank,
        fetched_at=now.isoformat(timespec="seconds"),
        published=iso_date(_part(row, places.published), now.date()),
    )


def _part(row: object, pointer: str) -> object:
    found = at(row, pointer) if pointer else ABSENT
    return None if found is ABSENT else found
