# pyright: basic
"""Chinese words: a run of Han characters in, jieba's search-mode words out.

jieba would write its dictionary as a marshal file into the world-writable temp folder and read back what
lies there; here the dictionary is read from the package's text file (about half a second, once per process,
only when the first Han text comes) and no cache file exists.
"""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from collections.abc import Callable
from functools import lru_cache

_lock = threading.Lock()
_cut: Callable[[str], list[str]] | None = None


@lru_cache(maxsize=1 << 15)
def cut_for_search(run: str) -> tuple[str, ...]:
    """Words of a simplified Han run, each long word preceded by the dictionary words inside it."""
    cut = _cut or _load()
    return tuple(cut(run))


def _load() -> Callable[[str], list[str]]:
    global _cut
    with _lock:
        if _cut is None:
            tokenizer = _import_jieba().Tokenizer()
            tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
            tokenizer.initialized = True
            _cut = tokenizer.lcut_for_search
        return _cut


def _import_jieba():
    """The package, its console logger silenced, without pkg_resources (deprecated; only opens a file)."""
    blocked = "pkg_resources" not in sys.modules
    if blocked:
        sys.modules["pkg_resources"] = None  # type: ignore[assignment]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import jieba
    finally:
        if blocked:
            del sys.modules["pkg_resources"]
    logger = logging.getLogger("jieba")
    logger.handlers.clear()
    logger.setLevel(logging.WARNING)
    return jieba
