import pytest
from starlette.applications import Starlette

import graph
from graph.auth.authenticators import NotConfigured
from graph.demo.database import EmbeddedDatabase


@pytest.fixture
def deployed(database: EmbeddedDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a deployment, in which nothing says yet who asks."""
    for name, value in (database.environment() | database.access()).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("VAMS_GRAPH_CURSOR_SECRETS", '["a secret of the tests"]')
    # What is of the whole process is left as the other tests need it.
    monkeypatch.setattr("graph.http.access_log.write_json", lambda: None)
    monkeypatch.setattr("gc.freeze", lambda: None)
    monkeypatch.setattr("gc.set_threshold", lambda *_: None)


@pytest.mark.usefixtures("deployed")
def test_the_application_is_made_of_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAMS_GRAPH_API_KEYS", "true")
    assert isinstance(graph.create_app(), Starlette)


@pytest.mark.usefixtures("deployed")
def test_no_application_serves_the_unknown() -> None:
    with pytest.raises(NotConfigured, match="VAMS_GRAPH_API_KEYS"):
        graph.create_app()
