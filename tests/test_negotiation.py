"""What clients accept, line by line and weight by weight."""

import pytest
from starlette.datastructures import Headers

from graph.negotiation import media_type_weight, prefers_gzip, takes_plain, weights


def lines(name: str, *values: str) -> Headers:
    return Headers(raw=[(name.encode(), value.encode("latin-1")) for value in values])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((), {}),
        (("",), {}),
        ((" , ,", ""), {}),
        (("a",), {"a": 1}),
        (("a, B ;q=0.5",), {"a": 1, "b": 0.5}),
        (("a", "b;q=0"), {"a": 1, "b": 0}),
        (("a;q=0.3, a", "A;q=0.1"), {"a": 1}),
        (("a; level=1; q=0.25; x=y",), {"a": 0.25}),
        (("a;Q=0.5", "b ; q = 0.5"), {"a": 0.5, "b": 0.5}),
        (("a;q=.2, b;q=1., c;q=0., d;q=1.000, e;q=0.999",), {"a": 0.2, "b": 1, "c": 0, "d": 1, "e": 0.999}),
        (
            ("a;q=2, b;q=-1, c;q=nan, d;q=inf, e;q=1e0, f;q=, g;q, h;q=., i;q=1.5, j;q=0x1",),
            dict.fromkeys("abcdefghij", 0),
        ),
        (("a;q=\xb2, b;q=0_1",), {"a": 0, "b": 0}),
    ],
)
def test_several_lines_are_one_list_of_weights(values: tuple[str, ...], expected: dict[str, float]) -> None:
    assert weights(lines("accept", *values), "accept") == expected


@pytest.mark.parametrize(
    ("accept", "weight"),
    [
        ("application/json;q=0.1, application/*;q=0.5, */*", 0.1),
        ("application/*;q=0.5, */*", 0.5),
        ("*/*;q=0.2, text/*", 0.2),
        ("*/*, application/*;q=0", 0),
        ("*/*;q=0, application/json", 1),
        ("text/html", 0),
    ],
)
def test_the_most_specific_range_counts(accept: str, weight: float) -> None:
    assert media_type_weight(weights(lines("accept", accept), "accept"), "application/json") == weight


@pytest.mark.parametrize(
    ("values", "packs", "plain"),
    [
        ((), False, True),
        (("",), False, True),
        (("gzip",), True, True),
        (("x-gzip",), True, True),
        (("GZip",), True, True),
        (("br", "gzip"), True, True),
        (("gzip;q=0.001",), True, True),
        (("*",), True, True),
        (("br, *;q=0.5",), True, True),
        (("gzip, *;q=0",), True, False),
        (("gzip, identity;q=0",), True, False),
        (("gzip;q=0.5, identity;q=0.5",), True, True),
        (("gzip;q=0",), False, True),
        (("gzip;q=0.000",), False, True),
        (("identity, gzip;q=0",), False, True),
        (("identity, gzip;q=0.5",), False, True),
        (("gzip;q=0.5, *",), False, True),
        (("*;q=0.5, identity",), False, True),
        (("gzip;q=0, *",), False, True),
        (("gzip;q=nonsense",), False, True),
        (("notgzip",), False, True),
        (("gzipped, gzip-2, x-gzip2",), False, True),
        (("br, deflate",), False, True),
        (("gzip;q=0, *;q=0",), False, False),
        (("identity;q=0",), False, False),
        (("*;q=0",), False, False),
        (("*;q=0, identity",), False, True),
    ],
)
def test_gzip_is_for_those_who_prefer_it(values: tuple[str, ...], packs: bool, plain: bool) -> None:
    codings = weights(lines("accept-encoding", *values), "accept-encoding")
    assert (prefers_gzip(codings), takes_plain(codings)) == (packs, plain)
