"""Policies compiled in one go, as the tests and the benchmarks need them."""

from collections.abc import Iterable

from graph.auth.constraints import Row
from graph.auth.policy import Compiler, Policy


def compile_policy(user_id: str, roles: Iterable[str], rows: Iterable[Row]) -> Policy:
    """The policy of a user by the constraint rows found for the roles and the user, in that order."""
    compiler = Compiler(user_id, roles)
    for row in rows:
        compiler.add(row)
    return compiler.policy()
