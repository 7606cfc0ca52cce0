"""Reading into what a reading left out."""

import pytest

from graph.aws.calls import CallFailed
from graph.engines.engine import HistoryPage, StaleToken
from graph.engines.reading import Gap, GapReader, Pages, read_history
from tests.engines.test_reading import History


async def gap_of(history: History, most: int = 3) -> Gap:
    reading = await read_history(history, most, Pages(20), backwards=True)
    assert reading.gap is not None
    return reading.gap


def ids(reader: GapReader) -> list[int]:
    return sorted(event.id for event in reader.events)


async def test_a_gap_is_what_lies_between_the_pages() -> None:
    assert await gap_of(History(100, 10)) == Gap(10, 81, "11", "80")


@pytest.mark.parametrize(("most", "gap"), [(0, Gap(0, None, None, None)), (1, Gap(10, None, "11", None))])
async def test_a_gap_without_an_end_goes_on_to_the_newest_event(most: int, gap: Gap) -> None:
    assert await gap_of(History(100, 10), most) == gap


async def test_what_was_read_whole_or_cannot_be_read_has_no_gap() -> None:
    class Denied(History):
        async def __call__(self, token: str | None, *, newest_first: bool) -> HistoryPage:
            raise CallFailed("AccessDeniedException")

    for history in (History(30, 10), Denied(100, 10)):
        assert (await read_history(history, 3, Pages(20), backwards=True)).gap is None


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("most", [0, 1, 2, 3])
async def test_either_side_leads_to_the_other(most: int, newest_first: bool) -> None:
    history = History(100, 10)
    gap = await gap_of(history, most)
    reader = GapReader(history, gap, Pages(99), newest_first=newest_first)
    while not reader.is_closed:
        assert await reader.more()
    assert set(range(gap.after + 1, gap.before or 101)) == set(ids(reader))


async def test_reading_ends_where_no_page_is_left() -> None:
    history = History(100, 10)
    reader = GapReader(history, await gap_of(history), Pages(2), newest_first=False)
    assert [await reader.more() for _ in range(3)] == [True, True, False]
    assert (ids(reader), reader.reached, reader.token, reader.page_token) == (list(range(11, 31)), 30, "31", "21")


@pytest.mark.parametrize(("newest_first", "reached", "begins"), [(False, 50, 11), (True, 51, 71)])
async def test_a_stale_token_leads_back_to_the_side_of_the_gap(newest_first: bool, reached: int, begins: int) -> None:
    class Stale(History):
        async def __call__(self, token: str | None, *, newest_first: bool) -> HistoryPage:
            if token == "stale":
                raise StaleToken("InvalidToken")
            return await super().__call__(token, newest_first=newest_first)

    history = Stale(100, 10)
    reader = GapReader(history, await gap_of(history), Pages(9), newest_first=newest_first)
    reader.resume(reached, "stale")
    assert await reader.more()
    assert ids(reader) == list(range(begins, begins + 10))


async def test_a_side_of_the_gap_that_is_stale_is_a_failure() -> None:
    class Forgetful(History):
        async def __call__(self, token: str | None, *, newest_first: bool) -> HistoryPage:
            raise StaleToken("InvalidToken")

    gap = await gap_of(History(100, 10))
    with pytest.raises(CallFailed):
        await GapReader(Forgetful(100, 10), gap, Pages(9), newest_first=False).more()
