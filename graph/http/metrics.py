"""What Prometheus reads. Labels come from the schema and the fixed lists of this server, never from a client."""

import os
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.requests import Request
from starlette.responses import Response

from graph.http.access_log import Operation

MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which the workers of one server find the directory of their counts."""

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_POINTS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
_COUNTS = (0, 1, 2, 3, 5, 8, 13, 20, 50, 100, 200)


class Metrics:
    """The counts of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry = self._registry
        self._operations = Counter(
            "vams_graph_operations", "Operations, by HTTP status and outcome.", ["status", "outcome"], registry=registry
        )
        self._root_fields = Counter(
            "vams_graph_root_fields", "Root fields of operations that ran.", ["field"], registry=registry
        )
        self._seconds = Histogram(
            "vams_graph_operation_seconds", "Seconds of an operation.", registry=registry, buckets=_SECONDS
        )
        self._price = Histogram(
            "vams_graph_operation_points", "Price of an operation, in points.", registry=registry, buckets=_POINTS
        )
        self._calls = Histogram(
            "vams_graph_operation_dynamodb_calls", "DynamoDB calls of an operation.", registry=registry, buckets=_COUNTS
        )
        self._rounds = Histogram(
            "vams_graph_operation_dynamodb_rounds",
            "DynamoDB calls of an operation that waited for each other.",
            registry=registry,
            buckets=_COUNTS,
        )
        self._capacity = Counter(
            "vams_graph_dynamodb_read_units", "Read capacity that operations consumed.", registry=registry
        )

    def count(self, operation: Operation) -> None:
        """Count an operation that is over."""
        self._operations.labels(operation.status, operation.outcome).inc()
        self._seconds.observe(operation.seconds)
        if operation.price:
            self._price.observe(operation.price)
        if operation.root_fields:
            self._calls.observe(operation.tally.calls)
            self._rounds.observe(operation.tally.rounds)
            self._capacity.inc(operation.tally.capacity)
        for field in operation.root_fields:
            self._root_fields.labels(field).inc()

    def text(self) -> bytes:
        """Return all counts; of every worker, where there are several."""
        if MULTIPROCESS not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def allowed(host: str | None, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    """Return whether an address is in one of some networks."""
    try:
        address = ip_address(host or "")
    except ValueError:
        return False
    return any(address in network for network in networks)


def respond(metrics: Metrics, request: Request, networks: Sequence[IPv4Network | IPv6Network]) -> Response:
    """Return the counts, for those who may read them; for others there is nothing here."""
    host = request.client.host if request.client else None
    if not allowed(host, networks):
        return Response(status_code=404)
    return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)
