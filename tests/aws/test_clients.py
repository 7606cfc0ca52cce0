from typing import Any

from graph.aws.clients import connect
from graph.settings import Settings


def test_each_service_has_a_client_that_waits_and_tries_as_the_settings_say() -> None:
    settings = Settings(region="eu-west-1", logs_timeout=3, engines_timeout=3, logs_endpoint="http://127.0.0.1:4566")
    clients = connect(settings)
    lazy: list[Any] = [clients.logs, clients.batch, clients.deadline, clients.states]
    made = [client._client() for client in lazy]
    assert [client.meta.service_model.service_name for client in made] == ["logs", "batch", "deadline", "stepfunctions"]
    assert made[0].meta.endpoint_url == "http://127.0.0.1:4566"
    for client in made:
        assert client.meta.region_name == "eu-west-1"
        assert (client.meta.config.connect_timeout, client.meta.config.read_timeout) == (3, 3)
        assert client.meta.config.retries["total_max_attempts"] == 1
