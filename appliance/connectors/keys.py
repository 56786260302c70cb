"""The key of a source: out of the environment at the moment of the call, into a header or a parameter."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping

from appliance.config_connectors import ExternalSourceSettings
from appliance.errors import ConfigError


def key_of(source: ExternalSourceSettings) -> str:
    """The key; empty where the source needs none.

    Raises ConfigError: the variable is not set, or what it holds cannot be sent in a header.
    """
    if not source.key_env:
        return ""
    key = os.environ.get(source.key_env, "").strip()
    if not key:
        raise ConfigError(
            f"the environment variable {source.key_env} is not set", hint="it holds the key of this source"
        )
    if not key.isascii() or not key.isprintable():
        raise ConfigError(
            f"what {source.key_env} holds is no key", hint="a key is one line of ASCII characters"
        )
    return key


def key_headers(source: ExternalSourceSettings) -> Mapping[str, str]:
    """The header that carries the key; none where it goes elsewhere. Raises ConfigError."""
    key = key_of(source)
    if not key or source.key_scheme == "query":
        return {}
    if source.key_scheme == "header":
        return {source.key_name: key}
    if source.key_scheme == "basic":
        return {"Authorization": f"Basic {base64.b64encode(key.encode()).decode()}"}
    return {"Authorization": f"Bearer {key}"}


def key_params(source: ExternalSourceSettings) -> Mapping[str, str]:
    """The parameter that carries the key; none where it goes elsewhere. Raises ConfigError."""
    key = key_of(source)
    return {source.key_name: key} if key and source.key_scheme == "query" else {}
