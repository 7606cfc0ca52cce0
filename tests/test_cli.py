import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph import __version__
from graph.cli import main
from graph.demo.database import loopback_client
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.demo.shapes import RUNNING_ID
from graph.schema import federated_sdl
from graph.tables.catalogue import EXECUTIONS, STEPS, TABLES

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "graph"]
SECRETS = '["a secret of the tests"]'
# Nothing of AWS or of the server's own settings.
BARE = {
    name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "VAMS_")) and "TABLE" not in name
} | {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere"}


def run(*arguments: str, environment: Mapping[str, str] = BARE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [*COMMAND, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@dataclass(frozen=True)
class Demo:
    """A demo that serves, and what it said first."""

    process: subprocess.Popen[str]
    welcome: str

    @property
    def url(self) -> str:
        return self.welcome.split()[-1]

    def ends(self, signum: signal.Signals) -> tuple[int, str]:
        """The status and the errors with which it ends on a signal."""
        self.process.send_signal(signum)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


@contextmanager
def started(*arguments: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """The command in the background, with some settings; it is ended, if it still runs, when left."""
    process = subprocess.Popen(  # noqa: S603
        [*COMMAND, *arguments], cwd=ROOT, env=BARE | settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def ready(process: subprocess.Popen[str]) -> Demo:
    assert process.stdout is not None
    welcome = process.stdout.readline()
    assert welcome, process.stderr and process.stderr.read()
    return Demo(process, welcome)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


# The schema


def exported(*options: str, **settings: str) -> list[bytes]:
    """What is printed under each of some hash seeds."""
    command = [*COMMAND, "export-schema", *options]
    with ExitStack() as stack:
        exports = [
            stack.enter_context(
                subprocess.Popen(  # noqa: S603
                    command, cwd=ROOT, env=BARE | settings | {"PYTHONHASHSEED": seed}, stdout=subprocess.PIPE
                )
            )
            for seed in ("0", "1", "4242")
        ]
        printed = [export.communicate(timeout=60)[0] for export in exports]
    assert [export.returncode for export in exports] == [0] * len(exports)
    return printed


def test_the_schema_is_exported_as_it_is_kept_whatever_the_hash_seed() -> None:
    assert set(exported()) == {(ROOT / "schema.graphql").read_bytes()}


@pytest.mark.parametrize(("setting", "with_node"), [({}, True), ({"VAMS_GRAPH_FEDERATION_NODE": "false"}, False)])
def test_what_a_supergraph_is_composed_of_is_exported_as_the_setting_says_whatever_the_hash_seed(
    setting: dict[str, str], with_node: bool
) -> None:
    assert set(exported("--federation", **setting)) == {f"{federated_sdl(with_node=with_node)}\n".encode()}


# The demo


@dataclass(frozen=True)
class Served:
    demo: Demo
    port: int
    environment: dict[str, str]


def exported_variables(file: Path) -> dict[str, str]:
    lines = (shlex.split(line)[1].partition("=") for line in file.read_text().splitlines())
    return {name: value for name, _, value in lines}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A demo on a port that was given, and the environment that it wrote for the doctor. SIGTERM ends it cleanly."""
    file, port = tmp_path_factory.mktemp("demo") / "environment", free_port()
    with started("demo", "--port", str(port), "--environment-file", str(file)) as process:
        demo = ready(process)
        yield Served(demo, port, exported_variables(file))
        status, errors = demo.ends(signal.SIGTERM)
        assert status in (0, -signal.SIGTERM)
        assert errors == ""


def test_the_demo_answers_on_the_port_that_was_given(served: Served) -> None:
    assert served.demo.url == f"http://127.0.0.1:{served.port}/graphql"
    document = f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ status }} }}'
    answer = httpx.post(served.demo.url, json={"query": document}, trust_env=False)
    assert answer.json() == {"data": {"execution": {"status": "SUCCEEDED"}}}


def test_the_demo_listens_on_the_loopback_address_alone(served: Served) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", served.port), timeout=5)


@pytest.fixture
def terminal() -> Iterator[None]:
    """SIGINT as a terminal has it. What a script runs in the background ignores it, and its children do too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("terminal")
def execution_row(environment: Mapping[str, str], execution_id: str) -> dict[str, Any]:
    """The row of an execution of a demo."""
    endpoint, access_key = environment["VAMS_GRAPH_DYNAMODB_ENDPOINT"], environment["AWS_ACCESS_KEY_ID"]
    [row] = loopback_client(endpoint, access_key=access_key).query(
        TableName=environment[EXECUTIONS.variables[0]],
        KeyConditionExpression=f"{EXECUTIONS.partition} = :id",
        ExpressionAttributeValues={":id": {"S": execution_id}},
    )["Items"]
    return row


def test_the_demo_writes_what_the_engine_says_to_a_running_executions_row_where_that_is_set(tmp_path: Path) -> None:
    file, settings = tmp_path / "environment", {"VAMS_GRAPH_WRITE_BACK_STATUS": "true"}
    with started("demo", "--port", "0", "--environment-file", str(file), **settings) as process:
        demo, environment = ready(process), exported_variables(file)
        before = execution_row(environment, RUNNING_ID)
        document = f'{{ execution(executionId: "{RUNNING_ID}") {{ status statusSource }} }}'
        answer = httpx.post(demo.url, json={"query": document}, trust_env=False)
        assert answer.json() == {"data": {"execution": {"status": "RUNNING", "statusSource": "LIVE"}}}
        late = time.monotonic() + 10  # nobody waits for the write
        while (after := execution_row(environment, RUNNING_ID)) == before and time.monotonic() < late:
            time.sleep(0.05)
        assert {name for name, value in after.items() if value != before.get(name)} == {"lastSfnSyncCheckDate"}
        checked_at = datetime.fromisoformat(after["lastSfnSyncCheckDate"]["S"])
        assert abs(datetime.now(UTC) - checked_at).total_seconds() < 60
        assert demo.ends(signal.SIGTERM)[1] == ""


def test_ctrl_c_ends_the_demo_without_a_word() -> None:
    with started("demo", "--port", "0") as process:
        assert ready(process).ends(signal.SIGINT) == (130, "")


def test_a_port_that_is_taken_is_told_before_anything_is_begun(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["demo", "--port", str(port)]) == 2
    told = capsys.readouterr()
    assert told.err == (
        f"Port {port} of 127.0.0.1 cannot be used: Address already in use. Choose another with --port.\n"
    )
    assert told.out == ""


@pytest.mark.parametrize("port", ["-1", "65536", "70000", "http", "", "٨٠", "1" * 5000])
def test_what_is_no_port_is_told(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["demo", f"--port={port}"])
    assert ended.value.code == 2
    assert "ports are from 0 to 65535" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("graph.cli.demo_items", lambda _live: {})
    assert main(["demo", "--port", "0", "--environment-file", "/nowhere/environment"]) == 2
    assert capsys.readouterr().err == "[Errno 2] No such file or directory: '/nowhere/environment'\n"


# The doctor


def test_the_doctor_finds_no_fault_with_the_demo(served: Served) -> None:
    found = run("doctor", environment=BARE | served.environment)
    assert (found.returncode, found.stderr) == (0, "")
    *lines, summary = found.stdout.splitlines()
    assert summary == f"{len(lines)} looked at, all as they should be"
    assert {line.split()[0] for line in lines} >= {table.name for table in TABLES}
    assert all(line.endswith(" ok") for line in lines)


def test_the_doctor_names_what_is_wrong(served: Served) -> None:
    found = run("doctor", environment=BARE | served.environment | {STEPS.variables[0]: "misspelled"})
    assert found.returncode == 1
    wrong = [line for line in found.stdout.splitlines()[:-1] if not line.endswith(" ok")]
    assert [line.split(maxsplit=1) for line in wrong] == [[STEPS.name, "there is no such table"]]
    assert found.stdout.splitlines()[-1].endswith(" looked at, 1 wrong")


def test_the_doctor_asks_for_every_variable_where_nothing_is_configured() -> None:
    found = run("doctor")
    assert (found.returncode, found.stdout) == (2, "")
    assert all(f"  {table.variables[0]}  ({table.name})" in found.stderr.splitlines() for table in TABLES)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The command's own process without any of AWS or of the server's settings."""
    for name in set(os.environ) - set(BARE):
        monkeypatch.delenv(name)
    for name, value in BARE.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "You must specify a region."),
        ({"VAMS_GRAPH_PROFILE": "nobody"}, "The config profile (nobody) could not be found"),
        ({"VAMS_GRAPH_REGION": "eu-west-1"}, "Unable to locate credentials"),
    ],
)
def test_the_doctor_says_why_aws_cannot_be_asked(
    bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variables: Mapping[str, str], words: str
) -> None:
    for name, value in {"VAMS_RESOURCE_PARAM_PREFIX": "/vams", **variables}.items():
        bare.setenv(name, value)
    assert main(["doctor"]) == 1
    assert capsys.readouterr() == ("", f"AWS cannot be asked: {words}\n")


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("VAMS_GRAPH_DYNAMODB_TIMEOUT", "soon", "VAMS_GRAPH_DYNAMODB_TIMEOUT: Input should be a valid number"),
        ("VAMS_GRAPH_DYNAMODB_ATTEMPTS", "0", "VAMS_GRAPH_DYNAMODB_ATTEMPTS: Input should be greater than"),
        ("VAMS_GRAPH_CURSOR_SECRETS", "[20261130]", "VAMS_GRAPH_CURSOR_SECRETS: Input should be a valid string"),
        ("VAMS_GRAPH_CURSOR_SECRETS", "s20261130", "VAMS_GRAPH_CURSOR_SECRETS: Input should be JSON"),
        ("VAMS_GRAPH_TRUSTED_DOCUMENTS_ONLY", "true", "VAMS_GRAPH_TRUSTED_DOCUMENTS_ONLY needs the manifest"),
        ("VAMS_GRAPH_RATE_POINTS", "5", "VAMS_GRAPH_RATE_POINTS must be 0 or at least VAMS_GRAPH_MAX_PRICE"),
    ],
)
def test_a_wrong_setting_is_named_and_its_value_is_not_shown(
    bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str, value: str, words: str
) -> None:
    bare.setenv(variable, value)
    assert main(["doctor"]) == 2
    told = capsys.readouterr()
    assert words in told.err
    assert "20261130" not in told.err
    assert len(told.err.splitlines()) == 1


# Serving


def test_serve_says_why_aws_cannot_be_asked(bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    bare.setenv("VAMS_RESOURCE_PARAM_PREFIX", "/vams")
    bare.setenv("VAMS_GRAPH_CURSOR_SECRETS", SECRETS)
    assert main(["serve"]) == 1
    assert capsys.readouterr() == ("", "AWS cannot be asked: You must specify a region.\n")


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "You must specify a region."),
        ({"VAMS_GRAPH_PROFILE": "nobody"}, "The config profile (nobody) could not be found"),
        (
            {"AWS_DEFAULT_REGION": "eu-west-1", "AWS_CA_BUNDLE": "/nowhere"},
            "No authorities of TLS can be read from",
        ),
    ],
)
def test_serve_says_what_is_wrong_with_aws_before_any_worker_starts(
    bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variables: dict[str, str], words: str
) -> None:
    names = {variable: "physical" for table in TABLES for variable in table.variables}
    given = {"VAMS_GRAPH_CURSOR_SECRETS": SECRETS, "VAMS_GRAPH_API_KEYS": "true"}
    for name, value in (names | given | variables).items():
        bare.setenv(name, value)
    assert main(["serve"]) == 1
    assert words in capsys.readouterr().err


def test_a_variable_that_looks_like_a_setting_and_is_none_stops_the_start(
    bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bare.setenv("VAMS_GRAPH_CURSOR_SECRETS", SECRETS)
    bare.setenv("VAMS_GRAPH_TRUSTED_DOCUMENT_ONLY", "true")
    bare.setenv("vams_graph_port", "8000")
    assert main(["serve"]) == 2
    assert capsys.readouterr().err.startswith("There is no setting of the name VAMS_GRAPH_TRUSTED_DOCUMENT_ONLY; see")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("[]", "Set VAMS_GRAPH_CURSOR_SECRETS to a JSON list of secrets, the same for every process."),
        ('[""]', "VAMS_GRAPH_CURSOR_SECRETS: a secret has at least 16 characters"),
        ('["15 characters 1"]', "VAMS_GRAPH_CURSOR_SECRETS: a secret has at least 16 characters"),
        ('["long enough to seal", "short"]', "VAMS_GRAPH_CURSOR_SECRETS: a secret has at least 16 characters"),
    ],
)
def test_serve_asks_for_secrets_that_seal(
    bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], value: str, words: str
) -> None:
    bare.setenv("VAMS_GRAPH_CURSOR_SECRETS", value)
    assert main(["serve"]) == 2
    assert capsys.readouterr().err.startswith(words)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("VAMS_GRAPH_ALLOWED_HOSTS", "graph.example.com:8000"),
        ("VAMS_GRAPH_ALLOWED_HOSTS", "*.example.com"),
        ("VAMS_GRAPH_CORS_ORIGINS", "https://app.example.com/"),
        ("VAMS_GRAPH_CORS_ORIGINS", "https://App.example.com"),
    ],
)
def test_what_can_never_match_stops_the_start(
    bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str, value: str
) -> None:
    bare.setenv("VAMS_GRAPH_CURSOR_SECRETS", SECRETS)
    bare.setenv(variable, json.dumps(["https://app.example.com" if "CORS" in variable else "graph.example.com", value]))
    assert main(["serve"]) == 2
    assert capsys.readouterr().err.startswith(f"{variable}: '{value}' can never match; ")


@pytest.mark.parametrize("hosts", [None, '["*"]'])
def test_serve_trusts_no_network_by_any_host(
    bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], served: Served, hosts: str | None
) -> None:
    variables = {
        "VAMS_GRAPH_CURSOR_SECRETS": SECRETS,
        "VAMS_GRAPH_GATEWAY_NETWORKS": '["10.0.0.0/8"]',
        "VAMS_GRAPH_REGION": "us-east-1",
    }
    if hosts is not None:
        variables["VAMS_GRAPH_ALLOWED_HOSTS"] = hosts
    for name, value in {**served.environment, **variables}.items():
        bare.setenv(name, value)
    assert main(["serve"]) == 2
    assert capsys.readouterr().err.startswith(
        "VAMS_GRAPH_GATEWAY_NETWORKS needs VAMS_GRAPH_ALLOWED_HOSTS or VAMS_GRAPH_GATEWAY_SECRET, or a page"
    )


def test_serve_says_what_is_wrong_with_a_manifest(
    bare: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], served: Served, tmp_path: Path
) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.write_text('{"a1b2": "{ nothing }"}')
    variables = {
        "VAMS_GRAPH_CURSOR_SECRETS": SECRETS,
        "VAMS_GRAPH_API_KEYS": "true",
        "VAMS_GRAPH_REGION": "us-east-1",
        "VAMS_GRAPH_TRUSTED_DOCUMENTS": str(manifest),
    }
    for name, value in {**served.environment, **variables}.items():
        bare.setenv(name, value)
    assert main(["serve"]) == 2
    assert capsys.readouterr().err == (
        "The manifest holds documents that cannot be run:\n  a1b2: Cannot query field 'nothing' on type 'Query'.\n"
    )


# The command


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["demo", "--hosts", "0.0.0.0"]])  # noqa: S104
def test_what_is_no_command_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: vams-graph" in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"{__version__}\n"
