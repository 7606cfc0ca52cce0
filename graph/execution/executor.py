"""The executor: that of graphql-core, with queries that run by plans."""

from collections.abc import Mapping
from typing import Any, cast

from graphql import DocumentNode, ExecutionResult, GraphQLError, GraphQLObjectType, OperationType

from graph.execution.graphql_internals import AwaitableOrValue, CollectedFields, Executor, GroupedFieldSet
from graph.execution.plan import Unplannable
from graph.execution.plans import Plans
from graph.execution.run import PlanRun
from graph.execution.strawberry_internals import StrawberryGraphQLCoreExecutionContext, optimized_is_awaitable
from graph.operation import OperationScope


async def execute(
    plans: Plans,
    document: DocumentNode,
    context: Any,
    variables: Mapping[str, Any] | None = None,
    operation_name: str | None = None,
    scope: OperationScope | None = None,
) -> ExecutionResult:
    """Run an operation of a valid document, with tasks of the scope, or of a new one.

    graphql-core's executor is made only to build a plan, or to complete unexpected values.
    """
    given, scope, made = dict(variables or {}), scope or OperationScope(), list[Executor[Any]]()

    def build() -> Executor[Any] | list[GraphQLError]:
        executor = PlannedExecutor.build(
            plans.schema,
            document,
            context_value=context,
            raw_variable_values=given,
            operation_name=operation_name,
            is_awaitable=optimized_is_awaitable,  # type: ignore[arg-type]  # it narrows nothing
            plans=plans,
            scope=scope,
        )
        if not isinstance(executor, list):
            made.append(executor)
        return executor

    try:
        if (ready := plans.ready(operation_name, given)) is not None:
            plan, root, values = ready
            data = await PlanRun(plan, context, values, scope, lambda: cast("Executor[Any]", build())).data(root, None)
            return cast("ExecutionResult", made[0].build_response(data)) if made else ExecutionResult(data, None)
        executor = build()
        if isinstance(executor, list):
            return ExecutionResult(None, executor)
        result: Any = executor.execute_operation()
        return cast("ExecutionResult", await result if optimized_is_awaitable(result) else result)
    finally:
        if made:
            del made[0].async_helpers  # whose methods refer to it: a cycle that would keep the whole operation
            plans.trim()


class PlannedExecutor(StrawberryGraphQLCoreExecutionContext):
    """Runs the queries of one document by plans, and everything else as graphql-core does."""

    def __init__(self, *arguments: Any, plans: Plans, scope: OperationScope, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._plans, self._scope = plans, scope

    def execute_root_grouped_field_set(
        self,
        root_type: GraphQLObjectType,
        root_value: Any,
        grouped_field_set: GroupedFieldSet,
        serially: bool,
        position_context: Any,
    ) -> AwaitableOrValue[dict[str, Any]]:
        """Complete the fields of the root, by a plan if there can be one."""
        if not serially and self.operation.operation is OperationType.QUERY and self.error_propagation:
            plan = self._plans.plan(self.operation, self.variable_values.coerced)
            try:
                root = plan.root(self, root_type, CollectedFields(grouped_field_set, [], []))
            except Unplannable:
                pass
            else:
                values = self.variable_values.coerced
                return PlanRun(plan, self.context_value, values, self._scope, lambda: self).data(root, root_value)
        return super().execute_root_grouped_field_set(
            root_type, root_value, grouped_field_set, serially, position_context
        )
