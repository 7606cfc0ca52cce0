"""This server beside its peers: ``python -m bench.comparison [--rounds N] [--delay MICROSECONDS]``.

Every server answers every question in every round, so that a slow moment of the machine is nobody's alone. The server
has one core, the stub of DynamoDB and the load generator have the other. The processor's time of a server's processes
is what is compared: unlike latency, it hardly depends on what else the machine does.
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import servers
from bench.processes import Process, end_like_an_interrupt
from bench.questions import DETAIL, DETAIL_4, LIST, NODE, QUESTIONS, TYPENAME, Asker, Question, comparable
from bench.servers import ADMINISTRATOR, CONSTRAINED, HERE, OTHER_CORE, OURS, PEERS

ROUNDS = 5
CONNECTIONS = 16
MERCURIUS = PEERS["mercurius"]
LIMITED = f"{OURS} for a constrained user"

TARGETS = {DETAIL: 0.5, LIST: 0.5, NODE: 0.8, TYPENAME: 2.0}
"""The most of Mercurius' processor time that this server may take."""
OF_LIMITED = (DETAIL, LIST, NODE)
_WAITS = "vams_graph_operation_dynamodb_rounds_sum "
"""What a constrained user makes dearer."""
CONSTRAINED_TARGET, GROWTH_TARGET, MEMORY_TARGET = 2.2, 4.2, 1 / 3

_WARM_SECONDS, _SECONDS = 1.5, 1.0
_FEWEST, _MOST = 2 * CONNECTIONS, 20_000


@dataclass(frozen=True)
class Measured:
    """One server, one question, one round."""

    cpu_ms: float
    per_second: float
    p50: float
    p99: float
    calls: float
    bytes: int


@dataclass
class Results:
    """Everything that was measured, by name of the server and question."""

    rounds: dict[tuple[str, Question], list[Measured]] = field(default_factory=dict)
    waits: dict[tuple[str, Question], int] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)

    def median(self, name: str, question: Question, value: Callable[[Measured], float]) -> float:
        """Return the median over the rounds."""
        return statistics.median(map(value, self.rounds[name, question]))

    def ratio(self, one: tuple[str, Question], other: tuple[str, Question]) -> float:
        """Return the median of what one took of the processor's time of the other, round by round."""
        pairs = zip(self.rounds[one], self.rounds[other], strict=True)
        return statistics.median(mine.cpu_ms / its.cpu_ms for mine, its in pairs)


class Unusable(Exception):
    """A comparison of servers that fail, or do not answer alike, says nothing."""


def compare(rounds: int, delay: int) -> Results:
    """Start everything, measure, and end everything."""
    with (
        TemporaryDirectory(prefix="vams-graph-bench-") as held,
        servers.database(directory := Path(held), delay) as stub,
        servers.this_server(directory, stub) as ours,
        servers.peers(directory, stub) as peers,
    ):
        askers = {OURS: Asker(ours, ADMINISTRATOR), LIMITED: Asker(ours, CONSTRAINED)}
        askers |= {peer.name: Asker(peer, ADMINISTRATOR) for peer in peers}
        check_answers(askers)
        results = Results()
        requests = directory / "requests"
        counts = {
            (name, question): warm(asker, question, requests)
            for question in QUESTIONS
            for name, asker in askers.items()
            if name != LIMITED or question in OF_LIMITED
        }
        for number in range(rounds):
            print(f"round {number + 1} of {rounds} ...", file=sys.stderr, flush=True)
            for (name, question), count in counts.items():
                results.rounds.setdefault((name, question), []).append(
                    measure(askers[name], question, count, requests, stub)
                )
        for name, question in counts:
            if name in (OURS, LIMITED):
                results.waits[name, question] = waits_of(askers[name], question)
        results.memory = {process.name: process.memory() for process in (ours, *peers)}
        return results


def waits_of(asker: Asker, question: Question) -> int:
    """Return by the metrics how many calls that waited for each other a question takes."""
    before = _waits(asker)
    asker.ask(asker.first(question))
    return _waits(asker) - before


def _waits(asker: Asker) -> int:
    lines = asker.process.request("GET", "/metrics").decode().splitlines()
    return next(int(float(line.split()[1])) for line in lines if line.startswith(_WAITS))


def check_answers(askers: dict[str, Asker]) -> None:
    """Ask all the same.

    Raises:
        Unusable: when two answers differ in more than ids and cursors, or hold an error.
    """
    for question in QUESTIONS:
        answers = {name: comparable(asker.ask(asker.first(question))) for name, asker in askers.items()}
        for name, answer in answers.items():
            if answer != answers[OURS] or "errors" in answer:
                raise Unusable(f"{question.name}: {name} answers {json.dumps(answer)[:500]}")


def warm(asker: Asker, question: Question, requests: Path) -> int:
    """Warm up, and return how many requests take as long as a turn should."""
    spent, count, rate = 0.0, _FEWEST, 1.0
    while spent < _WARM_SECONDS:
        asker.write_requests(question, count, requests)
        seconds = load(asker.process, requests, count)["seconds"]
        spent += seconds
        rate = count / seconds
        count = within(rate * _WARM_SECONDS / 2)
    return within(rate * _SECONDS)


def within(count: float) -> int:
    """Return the number of requests, neither too few nor too many to be sent at a time."""
    return int(min(max(count, _FEWEST), _MOST))


def measure(asker: Asker, question: Question, count: int, requests: Path, stub: Process) -> Measured:
    """Return one turn of one server."""
    asker.write_requests(question, count, requests)
    calls, cpu = servers.calls(stub), asker.process.cpu_seconds()
    try:
        seen = load(asker.process, requests, count)
    except Unusable as unusable:
        raise Unusable(f"{question.name}: {unusable}") from None
    cpu, calls = asker.process.cpu_seconds() - cpu, servers.calls(stub) - calls
    return Measured(
        cpu_ms=cpu / count * 1000,
        per_second=count / seen["seconds"],
        p50=seen["p50"],
        p99=seen["p99"],
        calls=calls / count,
        bytes=int(seen["bytes"]),
    )


def load(process: Process, requests: Path, count: int) -> dict[str, float]:
    """Send so many requests, some at a time, and wait for all the answers."""
    command = [str(HERE / "build" / "load"), str(process.port), str(requests), str(CONNECTIONS), str(count)]
    run = subprocess.run(  # noqa: S603
        ["taskset", "-c", str(OTHER_CORE), *command],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise Unusable(f"{process.name}: {run.stderr}")
    seen: dict[str, float] = json.loads(run.stdout)
    if seen["failures"]:
        raise Unusable(
            f"{process.name} failed {seen['failures']:.0f} of {count} requests of {requests.name}; {run.stderr}"
        )
    return seen


# ---------------------------------------------------------------- what is said of it


def tables(results: Results) -> Iterator[str]:
    """Yield the results as Markdown."""
    for question in QUESTIONS:
        yield f"\n### {question.title}\n"
        yield "| | CPU ms (least to most) | ours to it | requests/s | p50 ms | p99 ms | DynamoDB calls | rounds | KiB |"
        yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
        for name, asked in results.rounds:
            if asked is question and name != LIMITED:
                yield _row(results, name, question)
    yield "\n### A constrained user, whose executions are each decided by what they touched\n"
    yield "| | CPU ms | to the administrator's | DynamoDB calls | rounds |\n| --- | ---: | ---: | ---: | ---: |"
    for question in OF_LIMITED:
        of_both = (results.median(name, question, lambda one: one.calls) for name in (LIMITED, OURS))
        waits = [results.waits[name, question] for name in (LIMITED, OURS)]
        yield (
            f"| {question.title} | {results.median(LIMITED, question, lambda one: one.cpu_ms):.3f} "
            f"| {results.ratio((LIMITED, question), (OURS, question)):.2f} "
            f"| {' instead of '.join(f'{calls:.0f}' for calls in of_both)} | {waits[0]} instead of {waits[1]} |"
        )
    yield "\n### Memory after all of it\n"
    yield "| | RSS MiB |\n| --- | ---: |"
    for name, memory in results.memory.items():
        yield f"| {name} | {memory:.0f} |"
    yield "\n### Targets\n"
    yield "| | at most | measured | |\n| --- | ---: | ---: | --- |"
    for what, target, measured in verdicts(results):
        yield f"| {what} | {target:.2f} | {measured:.2f} | {'met' if measured <= target else '**missed**'} |"


def _row(results: Results, name: str, question: Question) -> str:
    rounds = results.rounds[name, question]
    taken = [one.cpu_ms for one in rounds]
    cells: Sequence[object] = (
        name,
        f"{statistics.median(taken):.3f} ({min(taken):.3f} to {max(taken):.3f})",
        f"{results.ratio((OURS, question), (name, question)):.2f}",
        f"{results.median(name, question, lambda one: one.per_second):,.0f}",
        f"{results.median(name, question, lambda one: one.p50):.1f}",
        f"{results.median(name, question, lambda one: one.p99):.1f}",
        f"{results.median(name, question, lambda one: one.calls):.1f}",
        results.waits.get((name, question), ""),
        f"{results.median(name, question, lambda one: one.bytes) / 1024:.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def verdicts(results: Results) -> Iterator[tuple[str, float, float]]:
    """Yield what is aimed at, at most how much, and how much it is."""
    for question, target in TARGETS.items():
        ratio = results.ratio((OURS, question), (MERCURIUS, question))
        yield f"{question.name}: CPU to that of {MERCURIUS}", target, ratio
    limited = results.ratio((LIMITED, LIST), (OURS, LIST))
    yield "list: CPU of the constrained user to the administrator's", CONSTRAINED_TARGET, limited
    yield "four times the output files: CPU", GROWTH_TARGET, results.ratio((OURS, DETAIL_4), (OURS, DETAIL))
    yield f"RSS to that of {MERCURIUS}", MEMORY_TARGET, results.memory[OURS] / results.memory[MERCURIUS]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser("python -m bench.comparison")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--delay", type=int, default=0, help="microseconds before DynamoDB answers")
    given = parser.parse_args()
    end_like_an_interrupt()
    print("\n".join(tables(compare(given.rounds, given.delay))))


if __name__ == "__main__":
    main()
