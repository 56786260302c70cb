"""The plan memory of one collection: signatures embedded, skeletons kept. Beside wiring, above the rooms.

Arrives: a signature (a question without what it is about); a plan and how it did. Leaves: the nearest plans.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.domain import Offer, Plan
from appliance.ports import Embedder
from appliance.reasoning.skeleton import skeleton_of
from appliance.store.skeletons import Skeletons


class CollectionPlans:
    """Implements :class:`appliance.reasoning.planning.PlanMemory`."""

    def __init__(self, collection: str, skeletons: Skeletons, embedder: Embedder) -> None:
        """Bind the memory to a collection and its embedder."""
        self._collection, self._skeletons, self._embedder = collection, skeletons, embedder

    def offers(self, signature: str) -> Sequence[Offer]:
        """The nearest skeletons, best first."""
        return self._skeletons.like(self._collection, self._embedder.embed_queries([signature])[0])

    def learn(self, question: str, plan: Plan, *, worked: bool) -> bool:
        """Count how a plan did (``worked``: answered with verified claims); whether it can be kept."""
        skeleton = skeleton_of(question, plan)
        if skeleton is None:
            return False
        vector = self._embedder.embed_queries([skeleton.signature])[0]
        self._skeletons.remember(self._collection, skeleton, vector, worked=worked)
        return True
