from hypothesis import given
from hypothesis import strategies as st

from graph.logs.lines import Line, Mark
from graph.logs.merging import Place, PlaceWindow, merge
from graph.logs.reading import LogReading


def line(time: int, stream: int = 9, ordinal: int = 0) -> Line:
    return Line(Mark(time, stream, ordinal), f"{time}", None)


def times(reading: list[tuple[int, LogReading]], window: PlaceWindow) -> list[tuple[int, int]]:
    return [(place.time, place.key) for place, _ in merge(reading, window).lines]


OLDEST, NEWEST = PlaceWindow(3, forward=True), PlaceWindow(3, forward=False)


def test_lines_go_by_time_and_then_by_log() -> None:
    readings = [(2, LogReading([line(1), line(2)])), (1, LogReading([line(2), line(3)]))]
    assert times(readings, OLDEST) == [(1, 2), (2, 1), (2, 2), (3, 1)]
    backward = [(2, LogReading([line(2), line(1)])), (1, LogReading([line(3), line(2)]))]
    assert times(backward, NEWEST) == [(3, 1), (2, 2), (2, 1), (1, 2)]


def test_nothing_is_shown_beyond_where_a_reading_stopped() -> None:
    readings = [(1, LogReading([line(1), line(5)])), (2, LogReading([line(2)], Mark.start_of(4), 60))]
    merged = merge(readings, OLDEST)
    assert [place.time for place, _ in merged.lines] == [1, 2]
    assert merged.stopped_at == Place(4, 2, 0, -1)
    assert merged.width == 60


def test_a_full_page_does_not_care_where_a_reading_stopped() -> None:
    readings = [(1, LogReading([line(1), line(2), line(3), line(4)])), (2, LogReading([], Mark.start_of(9)))]
    merged = merge(readings, OLDEST)
    assert len(merged.lines) == 4
    assert merged.stopped_at is None


def test_a_failed_reading_holds_nobody_up() -> None:
    readings = [(1, LogReading([line(1), line(5)])), (2, LogReading([], Mark.start_of(0), failure="Denied"))]
    merged = merge(readings, OLDEST)
    assert [place.time for place, _ in merged.lines] == [1, 5]
    assert merged.stopped_at is None


def test_after_a_reading_that_failed_on_its_way_more_may_follow_but_nothing_comes_twice() -> None:
    readings = [
        (1, LogReading([line(1), line(5)])),
        (2, LogReading([line(2)], Mark.start_of(3), failure="Throttled")),
    ]
    assert merge(readings, OLDEST).stopped_at == Place(5, 1, 9, 0)


places = st.builds(Place, st.integers(0, 3), st.integers(-2, 2), st.integers(0, 1), st.integers(0, 2))


@given(places, places)
def test_a_place_cuts_every_log_where_it_cuts_the_whole(cut: Place, other: Place) -> None:
    seen = cut.as_seen_by(other.key)
    mark = Mark(other.time, other.stream, other.ordinal)
    assert (mark < seen) == (other < cut)
    assert (mark > seen) == (other > cut)
