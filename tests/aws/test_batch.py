from typing import Any

import pytest

from graph.aws.batch import log_groups, log_streams


def container(stream: str | None = None, group: str | None = None) -> dict[str, Any]:
    options = {"awslogs-group": group} if group else {}
    return {"name": "c", "logStreamName": stream, "logConfiguration": {"logDriver": "awslogs", "options": options}}


def tasks(*streams: str | None) -> dict[str, Any]:
    return {"taskProperties": [{"containers": [container(stream) for stream in streams]}]}


@pytest.mark.parametrize(
    ("job", "streams"),
    [
        ({"container": container("a/1")}, ("a/1",)),
        ({"container": container("a/2"), "attempts": [{"container": container(name)} for name in ("a/1", "a/2")]},
         ("a/2", "a/1")),
        ({"ecsProperties": tasks("model/1", "sidecar/1")}, ("model/1", "sidecar/1")),
        ({"ecsProperties": tasks(None, "sidecar/2"), "attempts": [tasks("model/1", "sidecar/1"), tasks("sidecar/2")]},
         ("sidecar/2", "model/1", "sidecar/1")),
        ({"container": None, "ecsProperties": {"taskProperties": None}, "attempts": None}, ()),
        ({"eksProperties": {"podProperties": {"containers": [{"name": "c"}]}}}, ()),
        ({"container": {"logStreamName": 7}}, ()),
        ({}, ()),
    ],
    ids=["container", "attempts", "several containers", "their attempts", "nothing yet", "EKS", "no text", "empty"],
)  # fmt: skip
def test_the_streams_of_a_job_are_those_of_its_containers_and_attempts(
    job: dict[str, Any], streams: tuple[str, ...]
) -> None:
    assert log_streams(job) == streams


@pytest.mark.parametrize(
    ("job", "groups"),
    [
        ({"container": container("a", "/one")}, {"/one"}),
        ({"ecsProperties": {"taskProperties": [{"containers": [container("a", "/one"), container("b", "/two")]}]}},
         {"/one", "/two"}),
        ({"container": container("a")}, set()),
        ({"container": {"logConfiguration": None}}, set()),
        ({"container": {"logConfiguration": {"options": None}}}, set()),
    ],
)  # fmt: skip
def test_the_groups_of_a_job_are_those_that_its_definition_names(job: dict[str, Any], groups: set[str]) -> None:
    assert log_groups(job) == groups
