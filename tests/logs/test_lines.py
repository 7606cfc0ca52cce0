from hypothesis import given
from hypothesis import strategies as st

from graph.logs import lines
from graph.logs.lines import FoundEvent, LineWindow, Mark, Milliseconds, Span, in_order

events = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("ab"))).map(
    lambda found: [FoundEvent(time, stream, str(n), None) for n, (time, stream) in enumerate(sorted(found))]
)


@given(events)
def test_lines_are_in_the_order_of_their_marks_and_no_two_share_one(found: list[FoundEvent]) -> None:
    marks = [line.mark for line in in_order(found)]
    assert marks == sorted(set(marks))
    assert len(marks) == len(found)


@given(events)
def test_lines_of_a_stream_keep_their_order_within_a_millisecond(found: list[FoundEvent]) -> None:
    for stream in "ab":
        kept = [line.message for line in in_order(found) if line.stream == stream]
        assert kept == [event.message for event in found if event.stream == stream]


def test_a_millisecond_is_complete_when_the_next_one_begins() -> None:
    milliseconds = Milliseconds()
    assert milliseconds.add(FoundEvent(1, "b", "x", None)) == []
    assert milliseconds.add(FoundEvent(1, "a", "y", None)) == []
    assert [line.message for line in milliseconds.add(FoundEvent(2, "a", "z", None))] in (["x", "y"], ["y", "x"])
    assert [line.message for line in milliseconds.held] == ["z"]


def test_more_of_a_millisecond_than_can_be_held_is_left_out() -> None:
    milliseconds = Milliseconds()
    for number in range(lines.MOST_OF_A_MILLISECOND + 1):
        milliseconds.add(FoundEvent(1, "a", "", number))
    assert milliseconds.overflowed
    assert len(milliseconds.take()) == lines.MOST_OF_A_MILLISECOND


def test_a_window_narrows_the_time_to_its_marks() -> None:
    whole = Span(0, 100)
    assert LineWindow(1, forward=True, start=Mark(10, 7, 0), stop=Mark(20, 7, 0)).within(whole) == (10, 20)
    assert LineWindow(1, forward=False, start=Mark(20, 7, 0), stop=Mark(10, 7, 0)).within(whole) == (10, 20)
    assert LineWindow(1, forward=False, start=Mark.start_of(20)).within(whole) == (0, 19)


@given(st.booleans(), st.integers(0, 9))
def test_reading_begins_where_the_window_does(forward: bool, time: int) -> None:
    assert LineWindow(1, forward, Mark(time, 7, 0)).begin == Mark(time, 7, 0)
    begin = LineWindow(1, forward).begin
    assert (begin < Mark(time, 7, 0)) == forward
