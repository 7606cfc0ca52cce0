"""The command ``vams-graph``."""

import argparse
import json
import logging
import os
import re
import secrets
import shlex
import socket
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import uvicorn
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import SecretStr, ValidationError
from pydantic_settings import SettingsError

from graph import __version__
from graph.app import PATH, connect, create_app, deployment, make_changes, make_services, make_writer
from graph.auth.authenticators import NotConfigured
from graph.aws import wire
from graph.aws.database import dynamodb
from graph.context import Services
from graph.demo.data import demo_items
from graph.demo.database import DemoNotInstalledError, EmbeddedDatabase
from graph.demo.identity import DemoIssuer
from graph.demo.live import LiveRun
from graph.demo.logs import log_clients
from graph.demo.objects import find_object
from graph.demo.permissions import ANA
from graph.demo.s3 import EmbeddedS3
from graph.demo.welcome import EXAMPLES, welcome
from graph.documents.trusted import BadManifest
from graph.event_handler import make_registrar, register_with
from graph.history import command as history
from graph.schema import create_schema, federated_sdl
from graph.server import configuration, serve
from graph.settings import Settings, UnknownSettings
from graph.tables.doctor import Finding, cannot_connect, examine, examine_writes
from graph.tables.names import MissingTableNames

LOOPBACK = "127.0.0.1"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the status to exit with."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s", stream=sys.stderr)
    for chatty in ("botocore", "graph.operations"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    run = {
        "serve": _serve,
        "demo": _demo,
        "doctor": _doctor,
        "export-schema": _export_schema,
        "register": _register,
        "history": history.run,
    }[given.command]
    try:
        status = run(given)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read the output has read enough
        return 0
    except ValidationError as error:
        print(_wrong_settings(error), file=sys.stderr)
    except SettingsError as error:
        print(_unreadable_setting(error), file=sys.stderr)
    except (BotoCoreError, ClientError) as error:
        print(cannot_connect(error), file=sys.stderr)
        return 1
    except (
        BadEvents,
        BadManifest,
        DemoNotInstalledError,
        MissingTableNames,
        NotConfigured,
        OSError,
        PortUnavailable,
        UnknownSettings,
    ) as error:
        print(error, file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("vams-graph", description="The GraphQL API over the workflow executions of VAMS.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    served = commands.add_parser("serve", help="serve a deployment")
    served.add_argument("--workers", type=int, help="processes that serve (default: VAMS_GRAPH_WORKERS, or 1)")
    demo = commands.add_parser("demo", help="serve sample data from an embedded DynamoDB, on loopback")
    demo.add_argument("--port", type=_port, default=8000, help="port to listen on (default 8000; 0 picks a free one)")
    demo.add_argument("--environment-file", type=Path, help="write the variables that reach its tables, for doctor")
    commands.add_parser("doctor", help="check credentials, tables and indexes")
    history.add_parser(commands)
    registered = commands.add_parser("register", help="apply saved events by which steps register what they started")
    registered.add_argument("file", type=Path, metavar="EVENT.json", help="an event of EventBridge, or a list of them")
    exported = commands.add_parser("export-schema", help="print the schema in the definition language")
    exported.add_argument("--federation", action="store_true", help="as a supergraph is composed of it")
    exported.add_argument("--without-actions", action="store_true", help="as a server without actions serves it")
    return parser


def _serve(given: argparse.Namespace) -> int:
    settings = Settings() if given.workers is None else Settings(workers=given.workers)
    if not settings.cursor_secrets:
        raise NotConfigured("Set VAMS_GRAPH_CURSOR_SECRETS to a JSON list of secrets, the same for every process.")
    _try(deployment(settings))  # what would stop every worker is told here, once
    wire.reads(settings, dynamodb(settings)).open().close()  # and what is wrong with AWS, which workers see later
    serve("graph.app:application", settings)
    return 0


def _try(services: Services) -> None:
    """Make the application once, and discard it."""
    try:
        create_app(services)
    finally:
        services.close()


def _demo(given: argparse.Namespace) -> int:
    settings = Settings(
        host=LOOPBACK,
        environment="development",
        cursor_secrets=[SecretStr(secrets.token_urlsafe())],
        downloads=True,
        actions=True,
        delete_executions=True,
    )
    live = LiveRun(datetime.now(UTC))
    with (
        _listener(given.port) as listener,
        EmbeddedDatabase(demo_items(live)) as database,
        DemoIssuer() as issuer,
        EmbeddedS3(find_object) as files,
    ):
        if given.environment_file is not None:
            _write_environment(given.environment_file, database)
        client, names = database.client, database.names
        writer, changes = make_writer(settings, client, names), make_changes(settings, client, names)
        clients = log_clients(live, files=files)
        services = make_services(
            settings, client, names, clients, issuer.authenticators, writer=writer, changes=changes
        )
        config = configuration(create_app(services, EXAMPLES), settings, log_level="warning")
        _Announced(config, issuer.token(ANA, is_mfa=True)).run(sockets=[listener])
    return 0


class PortUnavailable(Exception):
    """The port that was given cannot be listened on."""

    def __init__(self, port: int, reason: str) -> None:
        super().__init__(f"Port {port} of {LOOPBACK} cannot be used: {reason}. Choose another with --port.")


def _listener(port: int) -> socket.socket:
    """Return a socket that listens, before anything that takes longer is begun."""
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise PortUnavailable(port, os.strerror(error.errno or 0)) from None


def _port(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no port; ports are from 0 to 65535")


class _Announced(uvicorn.Server):
    """A server that says where it is once it listens there."""

    def __init__(self, config: uvicorn.Config, token: str) -> None:
        super().__init__(config)
        self._token = token

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        """Start to listen."""
        await super().startup(sockets)  # type: ignore[arg-type]
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            print(welcome(f"http://{LOOPBACK}:{port}{PATH}", self._token), flush=True)


def _write_environment(path: Path, database: EmbeddedDatabase) -> None:
    """Write the variables to a file that nobody else may read, since they hold the access key."""
    variables = database.environment() | database.access()
    with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.writelines(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())


def _doctor(_given: argparse.Namespace) -> int:
    settings = Settings()
    client, names = connect(settings)
    findings = list(examine(client, names))
    if settings.actions:
        findings += examine_writes(client, names, deletes=settings.delete_executions)
    for finding in findings:
        print(_line(finding))
    faults = sum(finding.fault is not None for finding in findings)
    print(
        f"{len(findings)} looked at, {faults} wrong" if faults else f"{len(findings)} looked at, all as they should be"
    )
    return 1 if faults else 0


def _wrong_settings(error: ValidationError) -> str:
    """Return what is wrong with each variable, without its value, which may be a secret."""
    return "\n".join(
        ": ".join([*map(_variable, one["loc"][:1]), one["msg"].removeprefix("Value error, ")])
        for one in error.errors(include_input=False)
    )


def _unreadable_setting(error: SettingsError) -> str:
    """Return which variable should be JSON and is not, without its value."""
    field = re.search(r'field "(\w+)"', str(error))
    return f'{_variable(field[1])}: Input should be JSON, such as ["one", "another"]' if field else str(error)


def _variable(field: int | str) -> str:
    return f"{Settings.model_config['env_prefix']}{field}".upper()


def _line(finding: Finding) -> str:
    place = finding.table.name if finding.index is None else f"  {finding.index.name}"
    place += f" {finding.operation}" if finding.operation else ""
    return f"{place:<48} {finding.fault or 'ok'}"


def _register(given: argparse.Namespace) -> int:
    """Apply each event; 1 where something of one was not stored."""
    try:
        held = json.loads(given.file.read_text())
    except ValueError as error:
        raise BadEvents(given.file, error) from None
    registrar = make_registrar(Settings())
    told = [register_with(registrar, event) for event in (held if isinstance(held, list) else [held])]
    for one in told:
        print(json.dumps(one))
    return 1 if any(one.get("reason") or one.get("dropped") for one in told) else 0


class BadEvents(Exception):
    """A file does not hold events."""

    def __init__(self, file: Path, error: ValueError) -> None:
        super().__init__(f"{file} is not JSON: {error}")


def _export_schema(given: argparse.Namespace) -> int:
    with_actions = not given.without_actions
    if given.federation:
        print(federated_sdl(with_node=Settings().federation_node, with_actions=with_actions))
    else:
        print(create_schema(with_actions=with_actions).as_str())
    return 0
