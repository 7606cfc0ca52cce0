"""The gate: what the viewer of one operation may see. Every object passes it on every way to it.

VAMS decides in two tiers. The first is the route: the policy must allow the method on the REST path that a field stands
for, with the real ids in it. The second is the object, and for an execution everything that it touched.

Four differences from VAMS are deliberate. An archived asset is checked as the asset it was, for allow and for deny
rules alike. Every database that metadata was captured from is checked, not only the one that the caller named. A list
of metadata sources that the row could not hold whole is completed from S3; where it cannot be, it denies, unless the
policy allows everything that it could name.
So does a value that decides and is not of the kind that VAMS writes there.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from graph.auth import routes
from graph.auth.audit import Audit
from graph.auth.execution_scope import COMPLETING, ExecutionScope, ScopeLoader
from graph.auth.identity import Viewer
from graph.auth.objects import ASSET, DATABASE, RULES, WORKFLOW, ObjectRule
from graph.auth.policy import Decision, Policy
from graph.errors import Forbidden
from graph.files.envelopes import Envelopes
from graph.loaders import Loaders
from graph.tables.records.definitions import AssetRow, WorkflowRow
from graph.tables.records.executions import ExecutionRow
from graph.tables.rows import Fields, Row, deciding_fields

MOST_ASSETS = 500  # distinct assets that VAMS resolves for the permissions of one page


class Access:
    """The verdicts of one operation, each reached once."""

    def __init__(self, viewer: Viewer, policy: Policy, loaders: Loaders, envelopes: Envelopes | None = None) -> None:
        self._audit = Audit(viewer.user_id)
        self._policy = policy
        self._loaders = loaders
        self._scopes = ScopeLoader(loaders, envelopes)
        self._routes: dict[tuple[str, str], bool] = {}
        self._verdicts: dict[tuple[ExecutionScope, str], bool] = {}
        self._open: dict[tuple[str, str], bool] = {}
        self._sees_every_execution = self._allows_every_execution("GET")

    @property
    def hides_no_execution(self) -> bool:
        """Whether no execution is kept from the viewer, whatever it is and whichever way leads to it."""
        return self._sees_every_execution and self._is_open("api", "GET")

    def looks_at(self, row: type[Row]) -> Fields:
        """Return the stored fields of a kind of row that decisions look at, beside what an operation selects."""
        rule = RULES.get(row)
        actions = ("GET", "POST") if rule is None or row is AssetRow else ("GET",)  # as they are asked of each kind
        is_open = self._allows_every_execution if rule is None else partial(self._is_open, rule.object_type)
        return frozenset() if all(map(is_open, actions)) else deciding_fields(row) | COMPLETING.get(row, frozenset())

    def require(self, path: str) -> None:
        """Refuse a field whose REST route the viewer may not GET.

        Raises:
            Forbidden: when that is so.
        """
        if not self.permits(path):
            raise Forbidden

    def permits(self, path: str, method: str = "GET") -> bool:
        """Return whether the viewer may call a REST route of VAMS: the first tier."""
        known = self._routes.get((path, method))
        if known is None:
            decision = self._policy.allows("api", {"route__path": path}, method)
            known = self._routes[path, method] = self._audited(decision, "api", path, method)
        return known

    def note_link(self, execution_id: str, file: str, version_id: str | None) -> None:
        """Tell the audit of a link to a file of an execution."""
        self._audit.linked(execution_id, file, version_id)

    async def sees(self, row: Row) -> bool:
        """Return whether the viewer may open an object: its own route, and the object itself.

        Raises:
            GraphError: when what decides about an execution cannot be read, which is never taken for its absence.
        """
        if isinstance(row, ExecutionRow):
            if not self.permits(routes.execution_details(row.execution_id)):
                return False
            if row.is_being_deleted and not await self.may_delete(row):
                return False
            return self._sees_every_execution or await self._decide(await self._scopes.load(row.primary_key), "GET")
        rule = RULES.get(type(row))
        if rule is None:
            raise AssertionError(f"{type(row).__name__} has no gate of its own")
        ids = rule.ids_of(row)
        return self.permits(rule.route(*ids)) and self._allows(rule, ids, row, "GET")

    async def lists_executions_of(self, database_id: str, workflow_id: str) -> bool:
        """Return whether the viewer may see executions of a workflow, as far as the workflow or its ids decide.

        Raises:
            GraphError: when the workflow cannot be read.
        """
        if self._is_open("workflow", "GET"):
            return True
        row = await self._loaders.definitions.workflows.load((database_id, workflow_id))
        return self._allows_workflow(database_id, workflow_id, row)

    def page_of_executions(self) -> Callable[[Sequence[ExecutionRow]], Awaitable[Sequence[bool]]]:
        """Return whether the viewer may see each of the executions of one page, by the second tier alone.

        The verdicts end before the execution that would take more distinct assets than VAMS resolves for one page,
        unless it is the first to take any. Those that are hidden whatever their assets are take none.
        """
        spent: set[tuple[str, str]] = set()

        async def verdicts(rows: Sequence[ExecutionRow]) -> Sequence[bool]:
            if self._sees_every_execution:
                return [not row.is_being_deleted or await self.may_delete(row) for row in rows]
            scopes = await self._scopes.load_all(row.primary_key for row in rows)
            within = self._within_bound(scopes, spent)
            seen = await self._loaders.scope.gather(*(self._decide(scope, "GET") for scope in within))
            return [
                is_seen and (not row.is_being_deleted or await self.may_delete(row))
                for row, is_seen in zip(rows, seen, strict=False)
            ]

        return verdicts

    async def may_abort(self, execution: ExecutionRow) -> bool:
        """Return whether the viewer may abort an execution, whatever its status."""
        return await self._may_change(execution, routes.execution(execution.execution_id))

    async def may_delete(self, execution: ExecutionRow) -> bool:
        """Return whether the viewer may delete an execution, whatever its status."""
        return await self._may_change(execution, routes.execution_permanent(execution.execution_id))

    async def _may_change(self, execution: ExecutionRow, path: str) -> bool:
        if not self.permits(path, "DELETE"):
            return False
        if self._allows_every_execution("POST"):
            return True
        return await self._decide(await self._scopes.load(execution.primary_key), "POST")

    async def _decide(self, scope: ExecutionScope, action: str) -> bool:
        known = self._verdicts.get((scope, action))
        if known is None:
            known = self._verdicts[scope, action] = await self._verdict(scope, action)
        return known

    async def _verdict(self, scope: ExecutionScope, action: str) -> bool:
        """Return the second tier for one execution, in VAMS's order; the first that fails denies."""
        if not self._allows_before_assets(scope, action):
            return False
        found = await self._loaders.assets.find_all(scope.assets)
        missing = [named for named, asset in zip(scope.assets, found, strict=True) if asset is None]
        present = [asset for asset in found if asset is not None]
        return all(self._allows_asset(asset, action) for asset in present) and all(
            self._allows_database(name, action) for name in dict.fromkeys(database for database, _ in missing)
        )

    def _allows_before_assets(self, scope: ExecutionScope, action: str) -> bool:
        """Return the second tier for what an execution touched beside assets."""
        if not self._allows_workflow(scope.workflow_database_id, scope.workflow_id, scope.workflow):
            return False
        if not all(self._allows_database(name, "GET") for name in scope.databases):
            return False
        if (scope.lacks_databases and not self._is_open("database", "GET")) or (
            scope.lacks_assets and not self._allows_any_asset(action)
        ):
            self._audit.denied("execution", scope.execution_id, action, "not all that it touched is known")
            return False
        return True

    def _within_bound(self, scopes: Sequence[ExecutionScope], spent: set[tuple[str, str]]) -> Sequence[ExecutionScope]:
        """Return the scopes, from the first, that can be decided within the bound on distinct assets."""
        for place, scope in enumerate(scopes):
            if not self._allows_before_assets(scope, "GET"):
                continue
            fresh = scope.assets.keys() - spent
            if spent and len(spent) + len(fresh) > MOST_ASSETS:
                return scopes[:place]
            spent |= fresh
        return scopes

    def _allows_every_execution(self, action: str) -> bool:
        """Return whether the second tier allows an action on any execution, so that none needs to be looked at."""
        return self._is_open("workflow", "GET") and self._is_open("database", "GET") and self._allows_any_asset(action)

    def _allows_any_asset(self, action: str) -> bool:
        """Return whether the policy allows an action on every asset, deleted ones included."""
        return self._is_open("asset", action) and self._is_open("database", action)

    def _is_open(self, kind: str, action: str) -> bool:
        """Return whether the policy allows an action on every object of a kind, so that none needs to be looked at."""
        known = self._open.get((kind, action))
        if known is None:
            known = self._open[kind, action] = self._policy.allows_everything(kind, action)
        return known

    def _allows_workflow(self, database_id: str, workflow_id: str, row: WorkflowRow | None) -> bool:
        return self._allows(WORKFLOW, (database_id, workflow_id), row, "GET")

    def _allows_database(self, database_id: str, action: str) -> bool:
        return self._allows(DATABASE, (database_id,), None, action)

    def _allows_asset(self, row: AssetRow, action: str) -> bool:
        return self._allows(ASSET, ASSET.ids_of(row), row, action)

    def _allows(self, rule: ObjectRule, ids: Sequence[str], row: Row | None, action: str) -> bool:
        """Return the second tier for one object, by its row or, where it has none or needs none, by its ids."""
        kind = rule.object_type
        if self._is_open(kind, action):
            return True
        decision = self._policy.allows(kind, rule.fields_of(ids, row), action)
        return self._audited(decision, kind, ":".join(ids), action)

    def _audited(self, decision: Decision, kind: str, object_id: str, action: str) -> bool:
        if not decision:
            self._audit.denied(kind, object_id, action, decision.constraint_id or decision.reason.value)
        return bool(decision)
