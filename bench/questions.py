"""What the servers are asked, in terms of the contract, and whether they all answer alike."""

import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.dataset import FILES, wide_run_ids
from bench.processes import Process
from bench.servers import Headers

Body = dict[str, Any]

LISTED, DETAILED, NODES = 50, 20, 20
LARGEST = 100  # of which the answer of DynamoDB is longer than a connection gives at one go
NODE_DOCUMENTS = 5

_ENDLESS = 100_000
_IDS = "{ executions(first: 100) { edges { node { id } } } }"
_OPAQUE = {"id", "cursor", "startCursor", "endCursor"}  # each server's own texts


@dataclass(frozen=True)
class Question:
    """One of the documents; ``bodies`` makes the requests from ids that the asked server gave out itself."""

    name: str
    title: str
    bodies: Callable[[Sequence[str]], Iterator[Body]]


def document(name: str) -> str:
    """Return the text of a document."""
    return (Path(__file__).resolve().parent / "documents" / f"{name}.graphql").read_text()


def detail(files: int) -> Callable[[Sequence[str]], Iterator[Body]]:
    """Return executions of ten steps, one after another, with some of the files of each step."""

    def bodies(_ids: Sequence[str]) -> Iterator[Body]:
        for run_id in wide_run_ids():
            yield {"query": document("detail"), "variables": {"executionId": run_id, "files": files}}

    return bodies


def list_bodies(_ids: Sequence[str]) -> Iterator[Body]:
    """Yield the newest executions with their steps."""
    yield {"query": document("list"), "variables": {"first": LISTED}}


def large_bodies(_ids: Sequence[str]) -> Iterator[Body]:
    """Yield as many of the newest executions as one page may hold, with their steps."""
    yield {"query": document("list"), "variables": {"first": LARGEST}}


def node_bodies(ids: Sequence[str]) -> Iterator[Body]:
    """Yield a few documents with ids in them."""
    for number in range(NODE_DOCUMENTS):
        yield {"query": _nodes(ids[number * NODES : (number + 1) * NODES])}


def unseen_bodies(ids: Sequence[str]) -> Iterator[Body]:
    """Documents that differ in the ids in them, none like another."""
    chosen = random.Random(_ENDLESS)  # noqa: S311 - the same at each run
    for _ in range(_ENDLESS):
        yield {"query": _nodes(chosen.sample(ids, NODES))}


def _nodes(ids: Sequence[str]) -> str:
    fields = "executionId workflowId status triggerType triggeredBy startedAt stoppedAt"
    each = (
        f"  n{n}: node(id: {json.dumps(id_)}) {{ id ... on Execution {{ {fields} }} }}" for n, id_ in enumerate(ids)
    )
    return "{\n" + "\n".join(each) + "\n}"


DETAIL = Question("detail", f"detail: 10 steps x {DETAILED} output files, 5 logs", detail(DETAILED))
DETAIL_4 = Question("detail-4", f"detail with {FILES} files a step", detail(FILES))
LIST = Question("list", f"list: {LISTED} executions x 3 steps", list_bodies)
NODE = Question("nodes", f"{NODES} x node(id:)", node_bodies)
UNSEEN = Question("unseen", f"{NODES} x node(id:), each document once", unseen_bodies)
LARGE = Question("large", f"list: {LARGEST} executions x 3 steps", large_bodies)
TYPENAME = Question("typename", "{ __typename }", lambda _: iter([{"query": "{ __typename }"}]))
QUESTIONS = (DETAIL, DETAIL_4, LIST, LARGE, NODE, UNSEEN, TYPENAME)


class Asker:
    """Asks one server as one user."""

    def __init__(self, process: Process, headers: Headers) -> None:
        self.process = process
        self._headers = headers
        answer = self.ask({"query": _IDS})
        self._ids = [edge["node"]["id"] for edge in answer["data"]["executions"]["edges"]]
        self._unseen = {question: question.bodies(self._ids) for question in QUESTIONS}
        self._seen: dict[Question, list[Body]] = {}

    def ask(self, body: Body, **headers: str) -> Any:
        """Return one answer."""
        return json.loads(
            self.process.request("POST", "/graphql", json.dumps(body).encode(), {**self._headers, **headers})
        )

    def first(self, question: Question) -> Body:
        """Return the first request of a question."""
        return next(question.bodies(self._ids))

    def write_requests(self, question: Question, count: int, path: Path) -> None:
        """Write so many requests for the load generator, or all there are; what is endless goes on where it was."""
        bodies = self._seen.get(question) or list(itertools.islice(self._unseen[question], count))
        if len(bodies) < count:
            self._seen[question] = bodies
        self.write(bodies, path)

    def write(self, bodies: Sequence[Body], path: Path) -> None:
        """Write requests for the load generator."""
        with path.open("wb") as file:
            for body in bodies:
                request = self._request(json.dumps(body).encode())
                file.write(b"%d\n%s" % (len(request), request))

    def _request(self, body: bytes) -> bytes:
        headers = {**self._headers, "Host": f"127.0.0.1:{self.process.port}", "Content-Length": str(len(body))}
        head = "\r\n".join(["POST /graphql HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())])
        return f"{head}\r\n\r\n".encode() + body


def comparable(value: Any, field: str = "") -> Any:
    """Return an answer without what each server spells in its own way."""
    match value:
        case dict():
            return {name: comparable(one, name) for name, one in value.items()}
        case list():
            return [comparable(one) for one in value]
        case str() if field in _OPAQUE:
            return "opaque"
        case _:
            return value
