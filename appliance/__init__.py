"""Assay: hard questions over an institution's own documents, answered with claims that can be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from appliance.offline import stay_offline

if TYPE_CHECKING:
    from appliance.quickstart import DeepThinkingRAG

__all__ = ["DeepThinkingRAG"]

stay_offline()


def __getattr__(name: str) -> object:
    # Looked up late: the quick start brings every part with it, and most imports of this package need few.
    if name == "DeepThinkingRAG":
        from appliance.quickstart import DeepThinkingRAG

        return DeepThinkingRAG
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
