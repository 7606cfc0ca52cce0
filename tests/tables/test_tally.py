from graph.tables.tally import Tally


def test_nothing_was_asked_at_first() -> None:
    tally = Tally()
    assert (tally.calls, tally.rounds, tally.capacity) == (0, 0, 0.0)


def test_calls_that_start_together_are_one_round() -> None:
    tally = Tally()
    started = [tally.start() for _ in range(3)]
    for current in started:
        tally.finish(current, 0.5)
    assert (tally.calls, tally.rounds, tally.capacity) == (3, 1, 1.5)


def test_a_call_that_starts_after_an_answer_is_in_the_next_round() -> None:
    tally = Tally()
    for _ in range(3):
        tally.finish(tally.start(), 1)
    assert (tally.calls, tally.rounds) == (3, 3)


def test_an_answer_of_an_early_round_does_not_put_later_calls_back() -> None:
    tally = Tally()
    slow = tally.start()
    tally.finish(tally.start(), 0)
    second = tally.start()
    tally.finish(second, 0)
    tally.finish(slow, 0)
    assert tally.start() == 3
