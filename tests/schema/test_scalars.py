from datetime import UTC, datetime, timedelta, timezone

import pytest

from graph.schema.scalars import RefusedInstant, parse_instant, print_instant
from tests.harness import Graph

# The examples of https://scalars.graphql.org/andimarek/date-time, and more of each kind.
VALID = {
    "2011-08-30T13:22:53.108Z": datetime(2011, 8, 30, 13, 22, 53, 108_000, UTC),
    "2011-08-30T13:22:53.108+00:00": datetime(2011, 8, 30, 13, 22, 53, 108_000, UTC),
    "2011-08-30t13:22:53.108z": datetime(2011, 8, 30, 13, 22, 53, 108_000, UTC),
    "2011-08-30T13:22:53.108-03:00": datetime(2011, 8, 30, 16, 22, 53, 108_000, UTC),
    "2011-08-30T13:22:53.108+03:30": datetime(2011, 8, 30, 9, 52, 53, 108_000, UTC),
    "2024-02-29T00:00:00.000+23:59": datetime(2024, 2, 28, 0, 1, tzinfo=UTC),
    "2016-12-31T23:59:60.500Z": datetime(2017, 1, 1, 0, 0, 0, 500_000, UTC),
    "1990-12-31T15:59:60.000-08:00": datetime(1991, 1, 1, tzinfo=UTC),
    "9999-12-31T23:59:59.999Z": datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC),
}
INVALID = [
    *("2011-08-30T13:22:53.108-03", "2011-08-30T13:22:53.108912Z", "2011-08-30T24:22:53Z", "2011-08-30T13:22:53.108"),
    *("2011-08-30", "2011-08-30T13:22:53.108-00:00", "2011-08-30T13:22:53.108+03:30:15", "2011-08-30T24:22:53.108Z"),
    *("2010-02-30T21:22:53.108Z", "2010-02-11T21:22:53.108Z+25:11", "2010-02-11T21:22:53.108+25:11"),
    *("2026-07-01T00:00:00Z", "2026-07-01T00:00:00.1Z", "2026-07-01T00:00:00.12Z", "2026-07-01T00:00:00.123456789Z"),
    *("2026-07-01 00:00:00.000Z", "2026-07-01_00:00:00.000Z", "2026-07-01T00:00:00,000Z", "2026-07-01T00:00.000Z"),
    *("2026-07-01T24:00:00.000Z", "2026-07-01T00:60:00.000Z", "2026-07-01T00:00:61.000Z", "2026-07-01T12:00:60.000Z"),
    *("2026-07-15T23:59:60.000Z", "2026-07-01T00:00:00.000+24:00", "2026-07-01T00:00:00.000+00:60"),
    *("2026-07-01T00:00:00.000+0200", "2026-07-01T00:00:00.000 Z", "2026-07-01T00:00:00.000ZZ", "20260701T000000.000Z"),
    *("0000-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000+00:01", "9999-12-31T23:59:59.000-00:01", "+2026-07-01"),
    *("2026-W27-3T00:00:00.000Z", "2026-07-01T00:00:00.000Z\n", " 2026-07-01T00:00:00.000Z", "now", "", "T" * 100_000),
    *("٢٠٢٦-07-01T00:00:00.000Z", "9999-12-31T23:59:60.000Z"),
]


@pytest.mark.parametrize(("text", "instant"), VALID.items())
def test_an_instant_is_as_its_specification_says(text: str, instant: datetime) -> None:
    assert parse_instant(text) == instant


@pytest.mark.parametrize("text", INVALID, ids=lambda text: text[:40])
def test_what_the_specification_does_not_have_is_no_instant(text: str) -> None:
    assert isinstance(parse_instant(text), RefusedInstant)


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (datetime(2026, 7, 14, 9, 30, tzinfo=UTC), "2026-07-14T09:30:00.000Z"),
        (datetime(2026, 7, 14, 9, 30, 0, 1_000, UTC), "2026-07-14T09:30:00.001Z"),
        (datetime(2026, 7, 14, 9, 30, 0, 123_999, UTC), "2026-07-14T09:30:00.123Z"),
        (datetime(2026, 7, 14, 9, 30, tzinfo=timezone(timedelta(hours=-8))), "2026-07-14T17:30:00.000Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000Z"),
    ],
)
def test_an_answer_has_milliseconds_in_utc(instant: datetime, text: str) -> None:
    assert print_instant(instant) == text
    assert parse_instant(text) == instant.replace(microsecond=instant.microsecond // 1000 * 1000)


@pytest.mark.parametrize(
    "value", ["2026-07-01T00:00:00Z", "2026-07-01T00:00:00.000-00:00", "2026-07-01T00:00:00.1234Z"]
)
@pytest.mark.parametrize("argument", ["startedFrom", "startedTo"])
async def test_an_instant_of_another_form_is_bad_input_that_says_which(graph: Graph, argument: str, value: str) -> None:
    by_literal = f'{{ executions(filter: {{{argument}: "{value}"}}) {{ nodes {{ id }} }} }}'
    by_variable = f"query ($at: DateTime) {{ executions(filter: {{{argument}: $at}}) {{ nodes {{ id }} }} }}"
    for answer in (await graph.ask(by_literal), await graph.ask(by_variable, at=value)):
        assert answer.codes == ["BAD_USER_INPUT"]
        assert answer.errors[0]["message"].startswith(f"'{argument}' must be an RFC 3339 instant with three digits")


@pytest.mark.parametrize("value", [5, 1.5, True, [], ["2026-07-14T09:30:00.000Z"], {}, "", "now"])
async def test_what_is_no_instant_is_the_clients_mistake(graph: Graph, value: object) -> None:
    document = "query ($begin: DateTime) { executions(filter: {startedFrom: $begin}) { nodes { id } } }"
    answer = await graph.ask(document, begin=value)
    assert answer.data == {"executions": None}
    assert answer.codes == ["BAD_USER_INPUT"]


@pytest.mark.parametrize("literal", ["5", "[5]", "{a: 5}", "true", "NOW"])
async def test_a_literal_that_is_no_instant_is_the_clients_mistake(graph: Graph, literal: str) -> None:
    answer = await graph.ask(f"{{ executions(filter: {{startedTo: {literal}}}) {{ nodes {{ id }} }} }}")
    assert answer.codes == ["BAD_USER_INPUT"]
