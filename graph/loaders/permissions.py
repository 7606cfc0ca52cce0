"""The rows that identity and permissions are made of.

Unlike the other loaders these serve the whole process: what is read of them is kept for seconds by those who ask, and
it is not counted as a cost of the operation that happens to need it first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph.errors import GraphError
from graph.tables import catalogue, deciding
from graph.tables.catalogue import Index, Table
from graph.tables.queries import Query
from graph.tables.reader import Reader
from graph.tables.tally import Tally

Item = Mapping[str, Any]

_CONSTRAINT = (
    "constraintId",
    "objectType",
    "criteriaAnd",
    "criteriaOr",
    "criteria",
    "groupPermissions",
    "userPermissions",
)
_ROLE = ("roleName", "mfaRequired")
_API_KEY = ("apiKeyId", "apiKeyHash", "userId", "isActive", "expiresAt")


class PermissionRows:
    """Reads every page of what it is asked for, as items: here the absence of an attribute means something.

    Each kind of value is of a Python type of its own, so that none is taken for another.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def roles_of_user(self, user_id: str) -> Sequence[Item]:
        """Return the roles that are assigned to a user."""
        return await self._all(catalogue.USER_ROLES, None, user_id, ("userId", "roleName"))

    async def roles(self, names: Sequence[str]) -> Sequence[Item]:
        """Return the roles of some names; names without a role are left out."""
        found = await self._reader.get_items(catalogue.ROLES, [(name,) for name in names], _ROLE, Tally())
        for item in found.values():
            if isinstance(item, GraphError):
                raise item
        return [deciding.item(item) for item in found.values() if not isinstance(item, GraphError)]

    async def constraints_of_group(self, group: str) -> Sequence[Item]:
        """Return the constraints that name a role."""
        return await self._all(catalogue.CONSTRAINTS, catalogue.CONSTRAINTS_BY_GROUP, group, _CONSTRAINT)

    async def constraints_of_user(self, user_id: str) -> Sequence[Item]:
        """Return the constraints that name a user."""
        return await self._all(catalogue.CONSTRAINTS, catalogue.CONSTRAINTS_BY_USER, user_id, _CONSTRAINT)

    async def api_keys_with_hash(self, key_hash: str) -> Sequence[Item]:
        """Return the API keys of a digest."""
        return await self._all(catalogue.API_KEYS, catalogue.API_KEYS_BY_HASH, key_hash, _API_KEY)

    async def _all(
        self, table: Table, index: Index | None, partition: str, attributes: tuple[str, ...]
    ) -> Sequence[Item]:
        query = Query(table, index, partition, None, (), attributes, forward=True, after=None, limit=None)
        items: list[Item] = []
        while True:
            page = await self._reader.query(query, Tally())
            items += map(deciding.item, page.items)
            if page.last is None:
                return items
            query = replace(query, after=page.last)
