"""Hosts and origins in settings and in requests."""

import pytest

from graph.hosts import allowed_host, allowed_origin, host_of, is_address


@pytest.mark.parametrize(
    "host",
    ["graph.example.com", "localhost", "10.0.3.7", "[::1]", "[fd00::7]", "graph_1", "xn--grn-hoa.example", "a.b.", "*"],
)
def test_a_host_is_a_name_or_an_address(host: str) -> None:
    assert allowed_host(host) == host
    assert allowed_host(host.upper()) == host


@pytest.mark.parametrize(
    "host",
    [
        *("https://graph.example.com", "//graph.example.com", "graph.example.com/", "graph.example.com/graphql"),
        *("graph.example.com:8000", "127.0.0.1:18249", "[::1]:8000", "::1", "fd00::7", "[graph.example.com]", "[]"),
        *("*.example.com", ".example.com", "graph.*", "**", "graph?.example.com", "~^graph$", "grün.example"),
        *(
            "",
            " ",
            " graph.example.com",
            "graph.example.com ",
            "a b",
            "a..b",
            "a,b",
            "user@host",
            "graph.example.com\n",
        ),
    ],
)
def test_a_host_that_can_never_match_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match="can never match; name a host alone"):
        allowed_host(host)


@pytest.mark.parametrize(
    "origin",
    [
        *("https://app.example.com", "http://localhost", "http://localhost:3000", "https://app.example.com:8443"),
        *("http://app.example.com:443", "https://app.example.com:80", "http://[::1]:3000", "https://10.0.3.7", "*"),
        *("chrome-extension://abcdef", "capacitor://localhost", "https://xn--grn-hoa.example"),
    ],
)
def test_an_origin_is_as_browsers_write_it(origin: str) -> None:
    assert allowed_origin(origin) == origin


@pytest.mark.parametrize(
    "origin",
    [
        *(
            "https://app.example.com/",
            "https://app.example.com/page",
            "https://app.example.com?a",
            "https://a.example#b",
        ),
        *("app.example.com", "//app.example.com", "app.example.com:3000", "localhost:3000", "https:app.example.com"),
        *("https://*.example.org", "*://app.example.com", "https://*", "https://app.example.com:*", "https://.example"),
        *("HTTPS://app.example.com", "https://App.example.com", "http://[FD00::7]", "https://grün.example"),
        *(
            "https://app.example.com:443",
            "http://app.example.com:80",
            "https://a.example:08",
            "https://a.example:65536",
            "https://a.example:",
        ),
        *("https://user@app.example.com", "https://::1", "https://", "", "null", " https://a.example", "https://a.b\n"),
        "https://a.example,https://b.example",
    ],
)
def test_an_origin_that_can_never_match_is_refused(origin: str) -> None:
    with pytest.raises(ValueError, match="can never match; write an origin as browsers do"):
        allowed_origin(origin)


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("graph.example.com", "graph.example.com"),
        ("Graph.Example.com:8000", "graph.example.com"),
        ("graph.example.com:", "graph.example.com"),
        ("[::1]:8000", "[::1]"),
        ("[::1]", "[::1]"),
        ("", ""),
    ],
)
def test_the_port_is_no_part_of_a_host(header: str, host: str) -> None:
    assert host_of(header) == host


@pytest.mark.parametrize("host", ["10.0.3.7", "127.0.0.1", "[::1]", "[fd00::7]", "[::ffff:10.0.3.7]"])
def test_addresses_are_told_from_names(host: str) -> None:
    assert is_address(host)


@pytest.mark.parametrize(
    "host",
    [
        "10.0.3.7.evil.example",
        "evil.example",
        "10.0.3",
        "010.0.3.7",
        "::1",
        "[10.0.3.7]",
        "[::1",
        "",
        "[]",
        "1",
        "٣.0.0.1",
    ],
)
def test_names_that_look_like_addresses_are_none(host: str) -> None:
    assert not is_address(host)
