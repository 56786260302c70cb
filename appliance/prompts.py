"""Prompts are files. Arrives: ``<room>/prompts/<name>.<language>.md``. Leaves: their text, checked."""

from __future__ import annotations

from pathlib import Path

from appliance.errors import ConfigError

_ROOMS = {
    "plan": "reasoning",
    "plan_examples": "reasoning",
    "find": "answers",
    "conclude": "answers",
    "expand": "understanding",
    "shorten": "evidence",
    "closed": "evaluate",
}
_LANGUAGES = ("en", "zh")


class Prompts:
    """All instructions, read once."""

    def __init__(self, folder: Path = Path(__file__).parent) -> None:
        """Raise ConfigError when a file is missing or empty."""
        self._texts: dict[tuple[str, str], str] = {}
        for name, room in _ROOMS.items():
            for language in _LANGUAGES:
                path = folder / room / "prompts" / f"{name}.{language}.md"
                text = path.read_text("utf-8").strip() if path.is_file() else ""
                if not text:
                    raise ConfigError(
                        f"the prompt {path} is missing or empty", hint="reinstall the appliance"
                    )
                self._texts[name, language] = text

    def text(self, name: str, language: str) -> str:
        """Return the instructions in the question's language; English for any but Chinese."""
        return self._texts[name, "zh" if language == "zh" else "en"]
