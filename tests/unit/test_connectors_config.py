"""What a configuration of external sources may say, and where it lets questions go."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from appliance.config import REPOSITORY, Config, load_config
from appliance.config_connectors import Connectors
from appliance.connectors import open_sources
from appliance.connectors.endpoints import Endpoint, allowed_endpoint, endpoint_of
from appliance.connectors.guard import check_address
from appliance.errors import ConfigError, ExternalError

SEARX = {"name": "s", "kind": "searxng", "url": "https://searx.intra.example/search"}
JSON = {
    "name": "j",
    "kind": "json",
    "url": "https://wiki.intra.example/find",
    "params": {"q": "{query}"},
    "fields": {"items": "/hits", "title": "/t", "url": "/u"},
}


def section(*sources: dict[str, Any], **more: Any) -> Connectors:
    hosts = ["searx.intra.example", "wiki.intra.example"]
    return msgspec.convert({"allowed_hosts": hosts, "sources": list(sources), **more}, Connectors)


def test_by_default_there_is_no_source_and_no_egress() -> None:
    settings = Config().connectors
    assert (settings.sources, settings.allowed_hosts, settings.egress) == ((), (), False)
    assert open_sources(settings) == []


def test_the_examples_of_the_default_file_open(tmp_path: Path) -> None:
    text = (REPOSITORY / "configs" / "default.toml").read_text("utf-8")
    part = text[text.index("[connectors]") :]
    part = part[: part.index("\n[")]
    tables = part[part.index("# [[connectors.sources]]") :]
    hosts = ["searx.intra.example", "search.intra.example", "wiki.intra.example", "api.tavily.com"]
    own = tmp_path / "own.toml"
    own.write_text(
        f"[connectors]\nallowed_hosts = {hosts}\negress = true\n" + re.sub(r"(?m)^# ?", "", tables), "utf-8"
    )
    settings = load_config(own, environ={}).connectors
    assert [source.name for source in open_sources(settings)] == ["searx", "papers", "wiki", "tavily"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({**SEARX, "kind": "bing"}, "Invalid enum value 'bing'"),
        ({**SEARX, "name": "My Source"}, "name"),
        ({**SEARX, "url": "ftp://searx.intra.example"}, "url"),
        ({**SEARX, "url": "https://me:secret@searx.intra.example/"}, "url"),
        ({**SEARX, "url": "https://searx.intra.example/{query}"}, "url"),
        ({**SEARX, "url": ""}, "kind searxng needs its url"),
        ({**SEARX, "api_key": "sk-1"}, "unknown field `api_key`"),
        ({**SEARX, "key_env": "sk-live-1234"}, "key_env"),
        ({**SEARX, "key_env": "ASSAY__KEY"}, "ASSAY__"),
        ({**SEARX, "params": {"api_key": "sk-1"}}, "api_key looks like a key"),
        ({**SEARX, "params": {"access-token": "sk-1"}}, "access-token looks like a key"),
        ({**SEARX, "kind": "opensearch"}, "needs its index"),
        ({**SEARX, "kind": "opensearch", "index": "a/../_all"}, "index"),
        ({**JSON, "params": {"q": "{question}"}}, "{question} is no placeholder"),
        ({**JSON, "params": {"q": "{query.__class__}"}}, "needs {query}"),
        ({**JSON, "params": {"q": "fixed"}}, "needs {query}"),
        ({**JSON, "fields": {"items": "/hits"}}, "fields.title"),
        ({**JSON, "fields": {"items": "hits", "title": "/t", "url": "/u"}}, "fields.items"),
        ({**JSON, "body": {"q": "{query}"}}, 'method = "POST"'),
        ({**JSON, "body": {"deep": [{"q": "{evil}"}]}, "method": "POST"}, "{evil} is no placeholder"),
    ],
)
def test_a_wrong_source_is_refused_with_its_reason(
    tmp_path: Path, source: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(environ={}, flags={"connectors.sources": [source]})
    assert words in str(caught.value)
    assert "sk-1" not in str(caught.value)
    assert "secret@" not in str(caught.value)


def test_names_are_unique() -> None:
    with pytest.raises(ConfigError, match="the name s is there twice"):
        load_config(environ={}, flags={"connectors.sources": [SEARX, SEARX]})


@pytest.mark.parametrize(
    ("key", "value"),
    [("timeout_s", 0), ("timeout_s", 1e9), ("max_bytes", 1), ("max_query_chars", 0), ("max_concurrent", 0)],
)
def test_limits_are_bounded(key: str, value: float) -> None:
    with pytest.raises(ConfigError, match=key):
        load_config(environ={}, flags={f"connectors.{key}": value})


@pytest.mark.parametrize(
    ("url", "host", "port", "target"),
    [
        ("https://Searx.Intra.example/search", "searx.intra.example", 443, "/search"),
        ("http://10.0.0.7:8080", "10.0.0.7", 8080, "/"),
        ("https://[fd00::1]:8443/a b?c=d e", "fd00::1", 8443, "/a%20b?c=d%20e"),
        ("https://例子.测试/查", "xn--fsqu00a.xn--0zwm56d", 443, "/%E6%9F%A5"),
    ],
)
def test_endpoints(url: str, host: str, port: int, target: str) -> None:
    scheme = url.partition(":")[0]
    assert endpoint_of(url) == Endpoint(scheme=scheme, host=host, port=port, target=target)


@pytest.mark.parametrize("entry", ["searx.intra.example", "SEARX.intra.example:443"])
def test_an_allowed_host_passes(entry: str) -> None:
    settings = section(SEARX, allowed_hosts=[entry])
    assert allowed_endpoint(settings.sources[0], settings).host == "searx.intra.example"


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([], "is not allowed"),
        (["intra.example"], "is not allowed"),
        (["searx.intra.example.evil.example"], "is not allowed"),
        (["searx.intra.example:8080"], "is not allowed"),
        (["*.intra.example"], "no wildcards"),
        (["https://searx.intra.example"], "no wildcards"),
        (["searx.intra.example/search"], "no wildcards"),
        (["user@searx.intra.example"], "no wildcards"),
        ([""], "no wildcards"),
    ],
)
def test_any_other_host_is_refused(entries: list[str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        open_sources(section(SEARX, allowed_hosts=entries))


@pytest.mark.parametrize(("kind", "host"), [("tavily", "api.tavily.com"), ("serpapi", "serpapi.com")])
def test_hosted_kinds_need_the_host_and_egress(kind: str, host: str) -> None:
    source = {"name": "h", "kind": kind, "key_env": "A_KEY"}
    with pytest.raises(ConfigError, match=f"the host {host} is not allowed"):
        open_sources(section(source, egress=True))
    with pytest.raises(ConfigError, match="egress = true"):
        open_sources(section(source, allowed_hosts=[host]))
    [opened] = open_sources(section(source, allowed_hosts=[host], egress=True))
    assert opened.name == "h"


NEVER = "169.254.169.254 fe80::1 224.0.0.1 ff02::1 0.0.0.0 :: ::ffff:169.254.169.254".split()


@pytest.mark.parametrize("address", NEVER)
def test_some_addresses_are_never_connected_to(address: str) -> None:
    with pytest.raises(ExternalError, match="which is no server"):
        check_address("searx.intra.example", ipaddress.ip_address(address), public=True, encrypted=True)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_a_name_may_not_lead_to_this_machine(address: str) -> None:
    with pytest.raises(ExternalError, match="leads to this machine"):
        check_address("searx.intra.example", ipaddress.ip_address(address), public=True, encrypted=True)
    for own in ("localhost", "127.0.0.1", "::1"):
        check_address(own, ipaddress.ip_address(address), public=False, encrypted=False)


@pytest.mark.parametrize("address", ["10.1.2.3", "192.168.0.9", "172.16.0.1", "fd00::5", "100.64.0.1"])
def test_the_intranet_needs_neither_egress_nor_tls(address: str) -> None:
    check_address("searx.intra.example", ipaddress.ip_address(address), public=False, encrypted=False)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])
def test_the_internet_needs_both(address: str) -> None:
    found = ipaddress.ip_address(address)
    with pytest.raises(ExternalError, match="may not leave the intranet"):
        check_address("searx.intra.example", found, public=False, encrypted=True)
    with pytest.raises(ExternalError, match="not encrypted"):
        check_address("searx.intra.example", found, public=True, encrypted=False)
    check_address("searx.intra.example", found, public=True, encrypted=True)
