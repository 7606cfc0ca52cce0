"""Loading a user's policy from the tables of VAMS."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import chain
from typing import Protocol

from graph.auth.cache import Cache, Clock
from graph.auth.constraints import Row
from graph.auth.policy import Compiler, Policy
from graph.errors import GraphError

_SECONDS = 60
_ATTEMPTS = 3
_PAUSE_SECONDS = 1.0
_LONGEST_LOAD_SECONDS = 15.0
_LONGEST_TURN_SECONDS = 0.0005

_log = logging.getLogger(__name__)


class PolicyUnavailable(GraphError):
    """What a user may do cannot be read at the moment, which says nothing about it (HTTP 503)."""

    code = "UPSTREAM_UNAVAILABLE"
    retryable = True

    def __init__(self) -> None:
        super().__init__("Permissions cannot be read at the moment. Try again shortly.")


class PolicyRows(Protocol):
    """The reads that a policy needs. Each answers every page, as plain Python values."""

    async def roles_of_user(self, user_id: str) -> Sequence[Row]:
        """Return the rows of the user-roles table."""
        ...

    async def roles(self, names: Sequence[str]) -> Sequence[Row]:
        """Return the rows of the roles table; names without a role are left out."""
        ...

    async def constraints_of_group(self, group: str) -> Sequence[Row]:
        """Return the rows of the constraints table, through its index on groups."""
        ...

    async def constraints_of_user(self, user_id: str) -> Sequence[Row]:
        """Return the rows of the constraints table, through its index on users."""
        ...


class Policies:
    """Policies of users, each loaded at most once a minute.

    A session without a second factor has a policy of its own, without the roles that require one.

    Args:
        rows: the tables.
        default_role: the role of users who have none at all; empty for none.
        capacity: number of policies kept.
    """

    def __init__(
        self,
        rows: PolicyRows,
        *,
        default_role: str = "",
        capacity: int = 1024,
        clock: Clock = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._rows = rows
        self._default_role = default_role
        self._sleep = sleep
        self._cache = Cache(self._load_patiently, seconds=_SECONDS, capacity=capacity, clock=clock)

    async def policy_of(self, user_id: str, *, is_mfa: bool) -> Policy:
        """Return the user's policy, whole and at most a minute old.

        Raises:
            PolicyUnavailable: when it cannot be loaded, which is not remembered.
        """
        try:
            return await self._cache.get((user_id, is_mfa))
        except Exception as error:
            _log.error("Loading the policy of a user failed: %s", _kinds(error))
            raise PolicyUnavailable from error

    async def _load_patiently(self, session: tuple[str, bool]) -> Policy:
        async with asyncio.timeout(_LONGEST_LOAD_SECONDS):
            for _ in range(_ATTEMPTS - 1):
                try:
                    return await self._load(*session)
                except Exception as error:
                    _log.warning("Loading the policy of a user failed, retrying: %s", _kinds(error))
                    await self._sleep(_PAUSE_SECONDS)
            return await self._load(*session)

    async def _load(self, user_id: str, is_mfa: bool) -> Policy:
        async with asyncio.TaskGroup() as reads:
            of_user = reads.create_task(self._rows.constraints_of_user(user_id))
            assigned = [row["roleName"] for row in await self._rows.roles_of_user(user_id)]
            # No role at all: asked before any is withheld for want of a second factor, since a user whose roles all
            # require one is known, and must not get the role of the unknown instead.
            roles = assigned or ([self._default_role] if self._default_role else [])
            # Read ahead also for roles that turn out not to count, which saves a round trip.
            of_role = {role: reads.create_task(self._rows.constraints_of_group(role)) for role in roles}
            if roles and not (assigned and is_mfa):
                existing = await self._rows.roles(roles)
                usable = {role["roleName"] for role in existing if is_mfa or _is_open_without_mfa(role)}
                roles = [role for role in roles if role in usable]
        return await _compile(user_id, roles, [*(of_role[role].result() for role in roles), of_user.result()])


def _kinds(error: BaseException) -> str:
    """Return what went wrong, by the names of its kinds alone: its text may hold what the tables do."""
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(sorted({_kinds(each) for each in error.exceptions}))
    return type(error).__name__


async def _compile(user_id: str, roles: Sequence[str], rows: Iterable[Sequence[Row]]) -> Policy:
    compiler = Compiler(user_id, roles)
    turn_started = time.perf_counter()
    for row in chain.from_iterable(rows):
        compiler.add(row)
        if time.perf_counter() - turn_started > _LONGEST_TURN_SECONDS:
            await asyncio.sleep(0)  # thousands of rows must not hold up everybody else
            turn_started = time.perf_counter()
    return compiler.policy()


def _is_open_without_mfa(role: Row) -> bool:
    """Return whether the attribute is absent or a boolean false: VAMS filters by type as well as by value."""
    return role.get("mfaRequired", False) is False
