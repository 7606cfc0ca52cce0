"""How rows are fetched: the loaders of one operation, one file a table or a family of alike tables."""

from functools import cached_property

from graph.loaders.base import KeyLoader, Reading
from graph.loaders.configurations import ConfigurationLoaders
from graph.loaders.definitions import AssetLoaders, BucketLoaders, DefinitionLoaders, FileVersionLoader
from graph.loaders.executions import ExecutionLoaders
from graph.loaders.inputs import InputLoaders, InputMetadataLoaders, StepInputFileLoaders
from graph.loaders.outputs import OutputLoaders
from graph.loaders.steps import StepLoaders
from graph.tables.records.outputs import OutputFileRow, OutputMetadataRow, OutputResultRow
from graph.tables.records.steps import InputConfigurationRow, StepLogRow


class Loaders:
    """Every loader, each made when it is first used, inside the operation's loop. None outlives the operation."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.scope = reading.scope

    @cached_property
    def executions(self) -> ExecutionLoaders:
        """Executions."""
        return ExecutionLoaders(self._reading)

    @cached_property
    def configurations(self) -> ConfigurationLoaders:
        """What executions were launched with."""
        return ConfigurationLoaders(self._reading)

    @cached_property
    def steps(self) -> StepLoaders:
        """Pipeline executions."""
        return StepLoaders(self._reading, self.configurations)

    @cached_property
    def inputs(self) -> InputLoaders:
        """What executions read."""
        return InputLoaders(self._reading)

    @cached_property
    def step_input_files(self) -> StepInputFileLoaders:
        """What steps of migrated executions read."""
        return StepInputFileLoaders(self._reading)

    @cached_property
    def input_metadata(self) -> InputMetadataLoaders:
        """The metadata that steps were given."""
        return InputMetadataLoaders(self._reading)

    @cached_property
    def input_configurations(self) -> KeyLoader[InputConfigurationRow]:
        """The configuration that steps were given."""
        return KeyLoader(InputConfigurationRow, self._reading)

    @cached_property
    def step_logs(self) -> KeyLoader[StepLogRow]:
        """The stored logs of steps."""
        return KeyLoader(StepLogRow, self._reading)

    @cached_property
    def output_files(self) -> OutputLoaders[OutputFileRow]:
        """Files that steps wrote."""
        return OutputLoaders(OutputFileRow, self._reading)

    @cached_property
    def output_metadata(self) -> OutputLoaders[OutputMetadataRow]:
        """Metadata that runs wrote."""
        return OutputLoaders(OutputMetadataRow, self._reading)

    @cached_property
    def output_results(self) -> OutputLoaders[OutputResultRow]:
        """Result texts of runs."""
        return OutputLoaders(OutputResultRow, self._reading)

    @cached_property
    def assets(self) -> AssetLoaders:
        """Assets."""
        return AssetLoaders(self._reading)

    @cached_property
    def buckets(self) -> BucketLoaders:
        """Buckets of assets."""
        return BucketLoaders(self._reading)

    @cached_property
    def definitions(self) -> DefinitionLoaders:
        """Databases, workflows and pipelines."""
        return DefinitionLoaders(self._reading)

    @cached_property
    def file_versions(self) -> FileVersionLoader:
        """Versions that runs made of their output asset's files."""
        return FileVersionLoader(self._reading)
