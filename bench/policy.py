"""What one decision costs, beside Casbin's own: ``python -m bench.policy``.

Both hold the same constraints, in numbers that a real user may have, and decide about the same objects: assets and
routes, some allowed by the last constraint, some denied, some of which no constraint speaks.
"""

import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.auth.casbin_reference import Reference
from tests.auth.rows import constraint, criterion
from tests.policies import compile_policy

USER, ROLE = "bob@example.com", "plant-user"
CONSTRAINTS = (10, 50, 200)
BUDGET_SECONDS = 1.0
LEAST_ROUNDS, MOST_ROUNDS = 5, 20_000

Decide = Callable[[str, Mapping[str, Any], str], object]
Question = tuple[str, Mapping[str, Any], str]


def main() -> None:
    """Print a table."""
    print(f"{'constraints':>11} {'graph':>11} {'casbin':>11} {'compiled in':>12}")
    for count in CONSTRAINTS:
        rows = constraints(count)
        begun = time.perf_counter()
        policy = compile_policy(USER, [ROLE], rows)
        compiled = time.perf_counter() - begun
        reference = Reference(USER, [ROLE], [_native(row) for row in rows])
        asked = questions(count)
        for question in asked:
            if bool(policy.allows(*question)) != reference.allows(*question):
                raise AssertionError(f"they differ about {question}")
        own, theirs = measured(policy.allows, asked), measured(reference.allows, asked)
        print(f"{count:>11} {own * 1e6:>8.2f} us {theirs * 1e3:>8.2f} ms {compiled * 1e3:>9.2f} ms")


def constraints(count: int) -> list[dict[str, Any]]:
    """Half of assets, half of routes; one in ten of each denies."""
    found = []
    for number in range(count):
        effect = {"deny": ["GET", "POST"]} if number % 10 == 9 else {"allow": ["GET", "POST"]}
        if number % 2:
            paths = [criterion("route__path", "starts_with", f"/database/db-{number}/{part}") for part in "abc"]
            found.append(constraint(f"route-{number}", "api", any_of=paths, **effect))  # type: ignore[arg-type]
        else:
            of_asset = [
                criterion("databaseId", "equals", f"db-{number}"),
                criterion("assetName", "starts_with", "pump"),
                criterion("tags", "is_one_of", ["hot", "cold"]),
            ]
            found.append(constraint(f"asset-{number}", "asset", all_of=of_asset, **effect))  # type: ignore[arg-type]
    return found


def questions(count: int) -> list[Question]:
    """Objects that the first, the last and no constraint of their kind matches."""

    def asset(number: int) -> Mapping[str, Any]:
        return {"databaseId": f"db-{number}", "assetName": "pump 7", "assetType": ".step", "tags": ["locked", "cold"]}

    def route(number: int) -> Mapping[str, Any]:
        return {"route__path": f"/database/db-{number}/c/9b1c0f5e7d6a4b3c8e2f1a0d9c8b7a65/details"}

    numbers = (0, count - 2, count)
    return [("asset", asset(number), "GET") for number in numbers] + [
        ("api", route(number + 1), "GET") for number in numbers
    ]


def measured(decide: Decide, asked: Sequence[Question]) -> float:
    """Return the median of the seconds that one decision takes, round after round."""
    for question in asked:
        decide(*question)
    seconds: list[float] = []
    begun = time.perf_counter()
    while len(seconds) < LEAST_ROUNDS or (len(seconds) < MOST_ROUNDS and time.perf_counter() - begun < BUDGET_SECONDS):
        start = time.perf_counter()
        for question in asked:
            decide(*question)
        seconds.append((time.perf_counter() - start) / len(asked))
    return statistics.median(seconds)


def _native(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with the lists that VAMS stores as JSON."""
    lists = ("criteriaAnd", "criteriaOr", "groupPermissions", "userPermissions")
    return {**row, **{name: json.loads(row[name]) for name in lists}}


if __name__ == "__main__":
    main()
