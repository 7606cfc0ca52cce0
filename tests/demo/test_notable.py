from graph.demo.notable import NOTABLE_RUNS
from tests.demo.reading import execution


def test_every_notable_run_exists() -> None:
    for run in NOTABLE_RUNS:
        assert execution(run.execution_id)


def test_no_run_is_named_twice_and_each_says_what_it_shows() -> None:
    assert len({run.execution_id for run in NOTABLE_RUNS}) == len(NOTABLE_RUNS)
    assert len({run.shows for run in NOTABLE_RUNS}) == len(NOTABLE_RUNS)
    assert all(0 < len(run.shows) < 100 and "\n" not in run.shows for run in NOTABLE_RUNS)
