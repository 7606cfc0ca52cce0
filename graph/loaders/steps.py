"""Loaders of the step table and its three indexes, and of the chain that an execution's steps make."""

from collections.abc import Sequence
from functools import cached_property

from graph.batching import Loader
from graph.loaders.base import FirstLoader, KeyLoader, KeyRange, LoaderGroup, RangeLoader, Reading
from graph.loaders.chain import Chain, linked, planned
from graph.loaders.configurations import ConfigurationLoaders
from graph.tables import catalogue, keys
from graph.tables.queries import Between
from graph.tables.records.steps import StepRow


class StepLoaders(LoaderGroup):
    """Steps by key, by bare id, by execution, by predecessor, and the one that ends a chain."""

    by_key = cached_property(lambda self: KeyLoader(StepRow, self.reading))
    by_id = cached_property(lambda self: FirstLoader(StepRow, self.reading))
    by_execution = cached_property(lambda self: RangeLoader(StepRow, self.reading, catalogue.STEPS_BY_EXECUTION))
    by_predecessor = cached_property(lambda self: RangeLoader(StepRow, self.reading, catalogue.STEPS_BY_PREDECESSOR))
    by_end_state = cached_property(lambda self: RangeLoader(StepRow, self.reading, catalogue.STEPS_BY_END_STATE))

    def __init__(self, reading: Reading, configurations: ConfigurationLoaders) -> None:
        super().__init__(reading)
        self.chain = ChainLoader(self.by_execution, configurations)

    async def previous(self, step: StepRow) -> StepRow | None:
        """Return the step before another: by its key; from the chain if that is read or the link is broken."""
        if not self.chain.knows(step.execution_id):
            if not step.predecessor_id:
                return None
            if found := await self.by_key.load((step.predecessor_id, step.execution_id)):
                return found
        return (await self.chain.load(step.execution_id)).neighbour(step.pipeline_execution_id, -1)

    async def next(self, step: StepRow) -> StepRow | None:
        """Return the step after another: by its link; from the chain if that is read or the link is broken."""
        if not self.chain.knows(step.execution_id):
            found = await self._only(self.by_predecessor, step.execution_id, step.pipeline_execution_id)
            if found is not None or step.is_end_state:
                return found
        return (await self.chain.load(step.execution_id)).neighbour(step.pipeline_execution_id, 1)

    async def end(self, execution_id: str) -> StepRow | None:
        """Return the step that ends an execution's chain: from the chain where it is read, else from its own index."""
        if self.chain.knows(execution_id):
            return (await self.chain.load(execution_id)).end
        return await self._only(self.by_end_state, execution_id, keys.END_STATE)

    @staticmethod
    async def _only(loader: RangeLoader[StepRow], execution_id: str, value: str) -> StepRow | None:
        found = await loader.load(KeyRange(execution_id, limit=1, sort=Between(value, value)))
        return next(iter(found.rows), None)


class ChainLoader(Loader[str, Chain]):
    """The ordered steps of an execution, by its id. Reads its configuration only where the links are broken."""

    def __init__(self, by_execution: RangeLoader[StepRow], configurations: ConfigurationLoaders) -> None:
        super().__init__(by_execution.scope)
        self._by_execution = by_execution
        self._configurations = configurations

    async def read(self, keys: Sequence[str]) -> Sequence[Chain | Exception]:
        """Return the chains of some executions; empty where there are no steps."""
        return await self.scope.settle(self._chain(key) for key in keys)

    async def _chain(self, execution_id: str) -> Chain:
        steps = (await self._by_execution.load(KeyRange(execution_id))).rows
        if chain := linked(steps):
            return chain
        configuration = await self._configurations.of_execution(execution_id)
        return planned(steps, configuration.pipelines if configuration else ())
