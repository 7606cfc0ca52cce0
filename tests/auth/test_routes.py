import pytest

from graph.auth import routes


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (routes.EXECUTIONS, "/workflows/executions"),
        (routes.asset_executions("db", "a1"), "/database/db/assets/a1/workflows/executions"),
        (routes.execution("e1"), "/workflows/executions/e1"),
        (routes.execution_details("e1"), "/workflows/executions/e1/details"),
        (routes.execution_metadata("e1"), "/workflows/executions/e1/details/metadata"),
        (routes.execution_logs("e1"), "/workflows/executions/e1/logs"),
        (routes.database("db"), "/database/db"),
        (routes.asset("db", "a1"), "/database/db/assets/a1"),
        (routes.workflow("db", "w1"), "/database/db/workflows/w1"),
        (routes.pipeline("db", "p1"), "/database/db/pipelines/p1"),
    ],
)
def test_ids_are_filled_in(path: str, expected: str) -> None:
    assert path == expected


def test_an_id_stays_one_segment() -> None:
    assert routes.execution("x/logs?a#b") == "/workflows/executions/x%2Flogs%3Fa%23b"
    assert routes.execution("\ud800") == "/workflows/executions/%3F"
