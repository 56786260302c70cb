"""The link between two stored steps: sha256 over the one before and the text of this one."""

from __future__ import annotations

import hashlib


def step_digest(
    before: str, checkpoint_id: str, parent_id: str | None, checkpoint: str, metadata: str
) -> str:
    """64 hex digits; ``before`` is the digest of the step that this one follows, empty for the first.

    The run's id is no part of it: a fork's copied steps have the digests of the steps they were copied from,
    so that two branches can be shown to have the same beginning. Lengths stand before texts: no two steps
    are written alike.
    """
    parts = (before, checkpoint_id, parent_id or "", checkpoint, metadata)
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode()
        digest.update(f"{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()
