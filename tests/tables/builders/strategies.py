"""Records of every kind: short and far beyond their budgets, in ASCII and not."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from graph.tables.builders.executions import (
    AssetKey,
    ConfigurationRecord,
    ExecutionRecord,
    PlannedPipeline,
)
from graph.tables.builders.inputs import InputMetadataRecord, InputRecord, StepInputFileRecord
from graph.tables.builders.outputs import OutputFileRecord, OutputMetadataRecord, OutputResultRecord
from graph.tables.builders.record import Record
from graph.tables.builders.steps import (
    InputConfigurationRecord,
    StepLogRecord,
    StepPlaces,
    StepRecord,
    registered_log,
)
from graph.tables.records.executions import ConfigurationRow, ExecutionRow
from graph.tables.records.inputs import InputMetadataRow, InputRow, StepInputFileRow
from graph.tables.records.outputs import OutputFileRow, OutputMetadataRow, OutputResultRow
from graph.tables.records.steps import InputConfigurationRow, StepLogRow, StepRow
from graph.tables.rows import Row
from graph.tables.states import ExecutionStatus, OutputFileType, PipelineExecutionType, TriggerType

_EXECUTION_IDS = st.from_regex(r"[0-9a-f]{32}", fullmatch=True) | st.uuids().map(str)
_IDS = st.from_regex(r"[-_a-zA-Z0-9]{3,63}", fullmatch=True)
_CHARACTERS = st.characters(exclude_categories=["Cs"])
_ASSET_IDS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='<>:"/\\|?*'), min_size=1)
_TEXTS = st.text(_CHARACTERS, max_size=40)
_NAMES = st.text(_CHARACTERS, min_size=1, max_size=40)
_INSTANTS = st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC))
_FLOATS = st.floats(-1e100, 1e100, allow_nan=False, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-100)
_SCALARS = st.none() | st.booleans() | _TEXTS | st.integers(-(2**63) + 1, 2**63 - 1) | _FLOATS
JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def _bodies(draw: st.DrawFn) -> str:
    """A text; some are beyond any budget."""
    return draw(_NAMES) * draw(st.sampled_from([0, 1, 1, 30_000]))


@st.composite
def _maps(draw: st.DrawFn) -> dict[str, Any]:
    """A map; some are beyond any budget, by one value or by all together."""
    large = {str(number): draw(_NAMES) * 1_000 for number in range(draw(st.sampled_from([0, 0, 20])))}
    return draw(st.dictionaries(_TEXTS, JSON | _bodies(), max_size=3)) | large


@st.composite
def _lists(draw: st.DrawFn, elements: st.SearchStrategy[Any]) -> list[Any]:
    return draw(st.lists(elements, max_size=4)) * draw(st.sampled_from([0, 1, 1, 1_000]))


_ASSETS = st.builds(AssetKey, _IDS, _ASSET_IDS)
_STEPS = st.builds(PlannedPipeline, database_id=_IDS, pipeline_id=_IDS, job_name=_TEXTS, default_template_id=_TEXTS)
_LOGS = st.builds(
    registered_log, _TEXTS, _TEXTS, stream=_TEXTS, prefix=_TEXTS, stage=_TEXTS, label=_TEXTS, source_type=_TEXTS
)
_PLACES = st.builds(
    StepPlaces,
    bucket=_NAMES,
    configuration_key=_TEXTS,
    files_prefix=_TEXTS,
    metadata_prefix=_TEXTS,
    previews_prefix=_TEXTS,
    results_prefix=_TEXTS,
    auxiliary_bucket=_TEXTS,
    auxiliary_prefix=_TEXTS,
)
_STATUSES = st.sampled_from([status for status in ExecutionStatus if status is not ExecutionStatus.UNKNOWN])


@dataclass(frozen=True)
class Kind:
    """A kind of record, and the rows that its items are read as."""

    record: type[Record]
    row: type[Row]
    examples: st.SearchStrategy[Any]

    def __str__(self) -> str:
        return self.record.__name__


KINDS = (
    Kind(
        ExecutionRecord,
        ExecutionRow,
        st.builds(
            ExecutionRecord,
            execution_id=_EXECUTION_IDS,
            workflow_database_id=_IDS,
            workflow_id=_IDS,
            workflow_arn=_TEXTS,
            arn=_TEXTS,
            started_at=_INSTANTS,
            triggered_by=_TEXTS,
            trigger_type=st.sampled_from([kind for kind in TriggerType if kind is not TriggerType.UNKNOWN]),
            status=_STATUSES,
            stopped_at=st.none() | _INSTANTS,
            status_checked_at=st.none() | _INSTANTS,
            log_group_arn=_TEXTS,
            group_id=st.none() | st.just("") | _IDS,
            error_text=_bodies(),
            log_text=_bodies(),
        ),
    ),
    Kind(
        ConfigurationRecord,
        ConfigurationRow,
        st.builds(
            ConfigurationRecord,
            execution_id=_EXECUTION_IDS,
            started_at=_INSTANTS,
            metadata_text=_bodies(),
            metadata_file_key=_NAMES,
            pipelines=_lists(_STEPS),
            output=st.none() | _ASSETS,
            path_extension=_NAMES,
            named_database_id=st.just("") | _IDS,
            source_assets=_lists(_ASSETS),
            source_databases=_lists(_IDS),
        ),
    ),
    Kind(
        StepRecord,
        StepRow,
        st.builds(
            StepRecord,
            pipeline_execution_id=_EXECUTION_IDS,
            execution_id=_EXECUTION_IDS,
            pipeline_database_id=_IDS,
            pipeline_id=_IDS,
            predecessor_id=st.none() | st.just("") | _EXECUTION_IDS,
            is_end_state=st.booleans(),
            execution_type=st.sampled_from(
                [kind for kind in PipelineExecutionType if kind is not PipelineExecutionType.UNKNOWN]
            ),
            waits_for_callback=st.booleans(),
            places=st.none() | _PLACES,
            resource_arn=_TEXTS,
            event_prefix=_TEXTS,
            status=_STATUSES,
            started_at=st.none() | _INSTANTS,
            stopped_at=st.none() | _INSTANTS,
            sub_executions=st.lists(st.dictionaries(_NAMES, _TEXTS, max_size=4), max_size=50),
            logs=st.lists(_LOGS, max_size=50),
        ),
    ),
    Kind(
        InputRecord,
        InputRow,
        st.builds(
            InputRecord,
            execution_id=_EXECUTION_IDS,
            workflow_database_id=_IDS,
            workflow_id=_IDS,
            started_at=_INSTANTS,
            database_id=_IDS,
            asset_id=_ASSET_IDS,
            path=_TEXTS,
            bucket=_TEXTS,
            root=_TEXTS,
        ),
    ),
    Kind(
        StepInputFileRecord,
        StepInputFileRow,
        st.builds(
            StepInputFileRecord,
            pipeline_execution_id=_EXECUTION_IDS,
            execution_id=_EXECUTION_IDS,
            database_id=_IDS,
            asset_id=_ASSET_IDS,
            key=_NAMES,
        ),
    ),
    Kind(
        InputMetadataRecord,
        InputMetadataRow,
        st.builds(
            InputMetadataRecord,
            pipeline_execution_id=_EXECUTION_IDS,
            database_id=_IDS,
            asset_id=st.none() | _ASSET_IDS,
            path=_TEXTS,
            metadata=_maps(),
            file_attributes=_maps(),
            source_file_key=_NAMES,
        ),
    ),
    Kind(
        InputConfigurationRecord,
        InputConfigurationRow,
        st.builds(
            InputConfigurationRecord,
            pipeline_execution_id=_EXECUTION_IDS,
            body=_bodies(),
            file_key=_NAMES,
            template_id=_TEXTS,
            template_schema_version=_TEXTS,
            tag_schema_version=_TEXTS,
            tags=_lists(st.tuples(_NAMES, JSON)),
            override=st.none() | _bodies(),
            config_format=_TEXTS,
            effective_system_config=_maps(),
            template_overrides=_maps(),
        ),
    ),
    Kind(
        StepLogRecord,
        StepLogRow,
        st.builds(
            StepLogRecord,
            pipeline_execution_id=_EXECUTION_IDS,
            result_log=_bodies(),
            error_log=_bodies(),
            log_group_arn=_TEXTS,
        ),
    ),
    Kind(
        OutputFileRecord,
        OutputFileRow,
        st.builds(
            OutputFileRecord,
            pipeline_execution_id=_EXECUTION_IDS,
            file_type=st.sampled_from([OutputFileType.FILE, OutputFileType.PREVIEW]),
            relative_path=_NAMES.filter(lambda path: not path.startswith("/")),
            size=st.integers(0, 2**53),
            bucket=_TEXTS,
            s3_key=_TEXTS,
            s3_version_id=_TEXTS,
            content_type=_TEXTS,
        ),
    ),
    Kind(
        OutputMetadataRecord,
        OutputMetadataRow,
        st.builds(
            OutputMetadataRecord,
            pipeline_execution_id=_EXECUTION_IDS,
            target_path=_TEXTS,
            key=_TEXTS,
            value=_bodies(),
            source_key=_NAMES,
        ),
    ),
    Kind(
        OutputResultRecord,
        OutputResultRow,
        st.builds(
            OutputResultRecord,
            pipeline_execution_id=_EXECUTION_IDS,
            relative_path=_TEXTS,
            body=_bodies(),
            s3_key=_NAMES,
        ),
    ),
)
