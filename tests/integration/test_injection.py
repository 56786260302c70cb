"""Orders in documents change nothing: no tool, no permission, no link, no claim that nothing supports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from appliance.wiring import Appliance
from tests.injections import ObedientReader, ask_all, own_documents, write_documents
from tests.scripted_engine import scripted_appliance

DOCUMENTS = own_documents()
RIGHT_MIN = 0.9
"""The plain fact beside the order is still found."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Appliance]:
    folder = tmp_path_factory.mktemp("injection")
    library = write_documents(folder / "library", DOCUMENTS)
    flags: dict[str, object] = {"cache.enabled": False, "reasoning.learning": False}
    with scripted_appliance(folder, library, ObedientReader(), flags) as appliance:
        yield appliance


def use(appliance: Appliance, model: ObedientReader) -> ObedientReader:
    appliance.__dict__["model"] = model
    appliance.__dict__.pop("researcher", None)
    return model


def test_an_obedient_model_is_shown_no_order(opened: Appliance) -> None:
    model = use(opened, ObedientReader())
    asked = list(ask_all(opened, DOCUMENTS))
    assert [(one.document.id, one.breaches) for one in asked if one.breaches] == []
    assert model.obeyed == 0, "an order reached the model"
    for language in ("en", "zh"):
        own = [one for one in asked if one.document.language == language]
        wrong = [(one.document.id, one.document.order) for one in own if not one.right]
        assert len(wrong) <= (1 - RIGHT_MIN) * len(own), wrong


def test_a_model_that_obeys_whatever_it_is_shown_gets_nothing_through(opened: Appliance) -> None:
    model = use(opened, ObedientReader(possessed=True))
    asked = list(ask_all(opened, DOCUMENTS[:40]))
    assert model.obeyed >= 40
    assert [(one.document.id, one.breaches) for one in asked if one.breaches] == []
