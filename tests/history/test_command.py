"""The command that prints the visits of a saved history."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from graph.history.command import add_parser, run
from tests.history.tables import raw_events
from tests.history.test_written_dialect import BRANCHES, FAN, ITERATIONS


def call(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    return run(parser.parse_args(["history", *words]))


def save(path: Path, document: Any) -> str:
    path.write_text(json.dumps(document))
    return str(path)


def test_visits_are_printed_in_the_order_of_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = save(tmp_path / "events.json", {"events": raw_events(BRANCHES)})
    assert call(events, "--definition", save(tmp_path / "asl.json", FAN)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [json.loads(line) for line in out.splitlines()] == [
        {
            "name": "Fan",
            "scope": [],
            "status": "SUCCEEDED",
            "attempts": 1,
            "enteredEventId": 2,
            "exitedEventId": 9,
            "error": None,
        },
        {
            "name": "A1",
            "scope": [{"stageName": "Fan", "branch": 0, "branchName": "A1", "iteration": None}],
            "status": "SUCCEEDED",
            "attempts": 0,
            "enteredEventId": 4,
            "exitedEventId": 6,
            "error": None,
        },
        {
            "name": "B1",
            "scope": [{"stageName": "Fan", "branch": 1, "branchName": "B1", "iteration": None}],
            "status": "SUCCEEDED",
            "attempts": 0,
            "enteredEventId": 5,
            "exitedEventId": 7,
            "error": None,
        },
    ]


def test_a_list_of_events_is_a_history_and_a_branch_without_a_definition_has_no_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(save(tmp_path / "events.json", raw_events(BRANCHES))) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[1]["scope"] == [{"stageName": "Fan", "branch": None, "branchName": "A1", "iteration": None}]


def test_an_iteration_is_printed_and_a_history_is_taken_as_read_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(save(tmp_path / "events.json", raw_events(ITERATIONS))) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[2]["scope"] == [{"stageName": "Each", "branch": None, "branchName": None, "iteration": 1}]
    assert (lines[2]["status"], lines[2]["exitedEventId"]) == ("RUNNING", None)


def test_a_scope_that_was_not_read_is_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(save(tmp_path / "events.json", raw_events("9 PassStateEntered 8 name: A"))) == 0
    assert json.loads(capsys.readouterr().out)["scope"] is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 200_000, "nested too deeply"),
        ("7", "neither a list of events nor an object"),
        ('[{"id": 1}]', "events[0]: 'type' is not text"),
        ("9" * 10_000, "not JSON"),
    ],
)
def test_events_that_cannot_be_read_are_one_clear_line(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "events.json"
    path.write_text(content)
    assert call(str(path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"vams-graph history: {path}: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("content", ["", "{}", '{"States": 1}', "[" * 200_000, "x" * (1024 * 1024 + 1)])
def test_a_definition_that_cannot_be_read_is_one_clear_line(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "asl.json"
    path.write_text(content)
    assert call(save(tmp_path / "events.json", []), "--definition", str(path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"vams-graph history: {path}: the definition ")
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(str(tmp_path / "none.json")) == 2
    assert capsys.readouterr().err == f"vams-graph history: {tmp_path / 'none.json'}: No such file or directory\n"
    assert call(str(tmp_path)) == 2
    assert "Is a directory" in capsys.readouterr().err


def test_text_that_is_not_utf_8_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "events.json").write_bytes(b"[\xff]")
    assert call(str(tmp_path / "events.json")) == 2
    assert "not JSON" in capsys.readouterr().err


def test_the_documented_example_prints_what_the_page_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "histories.md").read_text()
    command, printed = (page.split(f"```{language}\n")[1].split("```")[0] for language in ("sh", "json"))
    monkeypatch.chdir(root)
    program, name, *words = command.split()
    assert (program, name) == ("vams-graph", "history")
    assert call(*words) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("key", ["NextToken", "nextToken"])
def test_a_page_that_is_not_the_last_is_told_as_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    events = save(tmp_path / "events.json", {"events": raw_events(BRANCHES)[:5], key: "more"})
    assert call(events) == 0
    assert "goes on" in capsys.readouterr().err


def test_pages_in_any_order_are_one_history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = save(tmp_path / "1.json", {"events": raw_events(BRANCHES)[:5], "nextToken": "more"})
    second = save(tmp_path / "2.json", {"events": raw_events(BRANCHES)[5:]})
    assert call(save(tmp_path / "whole.json", raw_events(BRANCHES))) == 0
    whole = capsys.readouterr()
    assert call(second, first) == 0
    assert capsys.readouterr() == whole


ENDED = """
1 ExecutionStarted 0
2 TaskStateEntered 0 name: A
3 TaskScheduled 2
"""


@pytest.mark.parametrize(("ending", "status"), [("ExecutionAborted", "ABORTED"), ("ExecutionTimedOut", "TIMED_OUT")])
@pytest.mark.parametrize("is_cut", [False, True])
def test_what_ended_with_the_execution_is_told_from_its_newest_events_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str, status: str, is_cut: bool
) -> None:
    """As ``get-execution-history --reverse-order --max-items`` prints them: the token leads to older events."""
    events = raw_events(f"{ENDED}4 {ending} 0")[::-1]
    document = {"events": events[:3], "NextToken": "older"} if is_cut else {"events": events}
    assert call(save(tmp_path / "events.json", document)) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["status"] == status
    assert err == ("vams-graph history: events 1 to 1 are missing\n" if is_cut else "")


def test_pages_from_both_ends_say_what_lies_between(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = save(tmp_path / "head.json", {"events": raw_events(BRANCHES)[:3], "nextToken": "newer"})
    tail = save(tmp_path / "tail.json", {"events": raw_events(BRANCHES)[:4:-1], "nextToken": "older"})
    assert call(head, tail) == 0
    assert capsys.readouterr().err == "vams-graph history: events 4 to 5 are missing\n"
