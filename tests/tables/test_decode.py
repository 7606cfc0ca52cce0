import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any

import orjson
import pytest
from boto3.dynamodb.types import TypeSerializer
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import MalformedValue
from graph.tables import decode

# DynamoDB takes 38 digits, of magnitudes from 1E-130 to 9.99E+125.
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=6)
SCALARS = st.none() | st.booleans() | st.text() | st.integers(-(2**63) + 1, 2**63 - 1)
DECODERS: tuple[decode.Decoder, ...] = (
    decode.text,
    decode.optional_text,
    decode.flag,
    decode.enabled,
    decode.integer,
    decode.instant,
    decode.mapping,
    decode.optional_mapping,
    decode.mappings,
    decode.texts,
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
INSTANTS = st.datetimes(timezones=st.just(UTC))


def read_by(decoder: decode.Decoder, value: object, attribute: str = "a") -> Any:
    """What a decoder reads of a value that was stored."""
    exact = Decimal(value) if isinstance(value, float) else value
    return decoder(TypeSerializer().serialize(exact), attribute)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"S": ""}, ""),
        ({"S": "text"}, "text"),
        ({"BOOL": False}, False),
        ({"NULL": True}, None),
        ({"N": "7"}, 7),
        ({"B": b"\x00\xff"}, "AP8="),
        ({"B": "AP8="}, "AP8="),
        ({"SS": ["b", "a"]}, ["a", "b"]),
        ({"NS": ["10", "9.5"]}, [9.5, 10]),
        ({"BS": [b"b", b"a"]}, ["YQ==", "Yg=="]),
        ({"BS": ["Yg==", "YQ=="]}, ["YQ==", "Yg=="]),
        ({"L": [{"N": "1"}, {"L": []}]}, [1, []]),
        ({"M": {"a:b": {"M": {}}}}, {"a:b": {}}),
    ],
)
def test_every_kind_of_value_is_read(value: dict[str, Any], expected: object) -> None:
    assert decode.plain(value) == expected
    assert type(decode.plain(value)) is type(expected)


@given(VALUES)
def test_what_was_stored_is_what_is_read(value: object) -> None:
    assert decode.plain(TypeSerializer().serialize(value)) == value


@given(NUMBERS)
def test_every_number_can_be_encoded_as_json(number: Decimal) -> None:
    read = decode.number(str(number))
    assert Decimal(read) == number or float(read) == float(number)
    assert orjson.loads(orjson.dumps(read)) == json.loads(json.dumps(read))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5000000000", 5_000_000_000),
        ("1.10", 1.1),
        ("1.0", 1),
        ("-0", 0),
        ("1E+3", 1000),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 2.0**63),
        ("12345678901234567890123456789012345678", 1.2345678901234568e37),
        ("0.12345678901234567890123456789012345678", 0.12345678901234568),
        ("9.9999999999999999999999999999999999999E+125", 1e126),
        ("1E-130", 1e-130),
    ],
)
def test_an_integral_number_stays_exact_and_others_are_doubles(text: str, expected: float) -> None:
    assert decode.number(text) == expected
    assert type(decode.number(text)) is type(expected)


@pytest.mark.parametrize(
    ("decoder", "expected"),
    [
        (decode.text, ""),
        (decode.optional_text, None),
        (decode.flag, False),
        (decode.enabled, None),
        (decode.integer, None),
        (decode.instant, None),
        (decode.mapping, {}),
        (decode.optional_mapping, None),
        (decode.mappings, []),
        (decode.texts, []),
    ],
)
def test_an_absent_attribute_has_a_value_of_its_own(decoder: decode.Decoder, expected: object) -> None:
    assert decoder(None, "attribute") == expected


@given(VALUES)
def test_no_stored_value_makes_a_decoder_fail(value: object) -> None:
    for decoder in DECODERS:
        read_by(decoder, value)


def test_a_flag_is_true_only_where_it_says_so() -> None:
    assert read_by(decode.flag, True) is True
    assert [read_by(decode.flag, value) for value in (False, "true", 1, "Enabled", None)] == [False] * 5


def test_enabled_is_spelled_out() -> None:
    assert [read_by(decode.enabled, value) for value in ("Enabled", "Disabled", "enabled", True)] == [
        True,
        False,
        None,
        None,
    ]


def test_the_empty_text_means_none() -> None:
    assert read_by(decode.optional_text, "") is None
    assert read_by(decode.text, "") == ""


def test_a_list_leaves_out_what_is_of_another_kind() -> None:
    assert read_by(decode.mappings, [{"a": 1}, "b", None, {}]) == [{"a": 1}, {}]
    assert read_by(decode.texts, ["a", 1, None, ""]) == ["a", ""]


@pytest.mark.parametrize("value", ["7", 1.5, True, [], {}])
def test_what_is_no_whole_number_is_malformed(value: object) -> None:
    read = read_by(decode.integer, value, "fileSize")
    assert isinstance(read, MalformedValue)
    assert str(read) == "The stored value of 'fileSize' is malformed."


@given(INSTANTS)
def test_an_instant_is_read_as_it_was_written(instant: datetime) -> None:
    assert read_by(decode.instant, instant.isoformat()) == instant
    assert read_by(decode.instant, instant.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")) == instant.replace(
        microsecond=0
    )


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31)), st.integers(-1439, 1439))
def test_every_instant_is_in_utc(naive: datetime, minutes: int) -> None:
    local = naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    read = read_by(decode.instant, local.isoformat())
    assert read == local
    assert isinstance(read, datetime)
    assert read.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-06-30T10:20:30Z", "2026-06-30T10:20:30+00:00"),
        ("2026-06-30T10:20:30.123Z", "2026-06-30T10:20:30.123000+00:00"),
        ("2026-06-30T10:20:30.5Z", "2026-06-30T10:20:30.500000+00:00"),
        ("2026-06-30T10:20:30.123456789Z", "2026-06-30T10:20:30.123456+00:00"),
        ("2026-06-30T12:20:30+02:00", "2026-06-30T10:20:30+00:00"),
        ("2026-06-30T12:20:30+0200", "2026-06-30T10:20:30+00:00"),
        ("2026-06-30T10:20:30", "2026-06-30T10:20:30+00:00"),
        ("2026-06-30T10:20:30.25", "2026-06-30T10:20:30.250000+00:00"),
    ],
)
def test_instants_come_with_and_without_fraction_and_zone(text: str, expected: str) -> None:
    read = read_by(decode.instant, text)
    assert isinstance(read, datetime)
    assert read.isoformat() == expected


@pytest.mark.parametrize(
    "value",
    [
        "yesterday",
        "2026-06-30",
        "2026-13-30T10:20:30Z",
        "2026-06-31T10:20:30Z",
        "2026-06-30T24:20:30Z",
        "2026-06-30T10:20:30+99:00",
        "2026-06-30T10:20:30Z\n",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "٢٠٢٦-06-30T10:20:30Z",
        1782814830,
        True,
        {},
    ],
)
def test_what_is_no_instant_is_malformed_and_not_shown(value: object) -> None:
    read = read_by(decode.instant, value, "executionStartDate")
    assert isinstance(read, MalformedValue)
    assert str(read) == "The stored value of 'executionStartDate' is malformed."


class Colour(Enum):
    RED = "red"
    UNKNOWN = ""


@pytest.mark.parametrize("value", ["blue", "", "RED", None, 7, ["red"], {"red": 1}])
def test_a_choice_of_another_text_is_unknown(value: object) -> None:
    colour = decode.choice({"red": Colour.RED}, Colour.UNKNOWN)
    assert read_by(colour, value) is Colour.UNKNOWN
    assert read_by(colour, "red") is Colour.RED
