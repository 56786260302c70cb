"""What a run's asker sees of its events while its answer is withheld, or after it was replaced.

Arrives: a stored run and its events. Leaves: the same events, without the words of findings and drafts where
the answer they led to is not shown. The reviewer sees them whole.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from appliance.domain import Event, ReviewStatus
from appliance.store.runs import RunRecord

_WORDS: dict[str, dict[str, object]] = {
    "finding.made": {"answer": "", "claims": []},
    "answer.draft": {"claims": [], "memory": None},
    "claim.dropped": {"text": "", "not_in_passage": []},
}
"""By kind of event: what is put in place of its words."""


def told(run: RunRecord, events: Iterable[Event]) -> tuple[Event, ...]:
    """The events as the run's asker may see them."""
    if not silenced(run):
        return tuple(events)
    return tuple(_silent(event) for event in events)


def silenced(run: RunRecord) -> bool:
    """Whether the words of the run's own answer are not for its asker."""
    review = run.answer.review if run.answer is not None else None
    return review is not None and review.status is not ReviewStatus.APPROVED


def _silent(event: Event) -> Event:
    words = {name: none for name, none in _WORDS.get(event.kind, {}).items() if name in event.data}
    if not words:
        return event
    return msgspec.structs.replace(event, data={**event.data, **words, "held": True})
