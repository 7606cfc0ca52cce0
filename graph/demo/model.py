"""The facts behind the rows: what is defined, what was run, and what came of it.

Nothing here knows how VAMS writes it down; :mod:`graph.demo.rows` and :mod:`graph.demo.run_rows` do.
"""

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NamedTuple

REGION = "us-west-2"
ACCOUNT = "123456789012"
FARM_ID = "farm-0123456789abcdef0123456789abcdef"
QUEUE_ID = "queue-0123456789abcdef0123456789abcdef"
RUN_BUCKET = "vams-run-bucket"
LOG_GROUP = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/aws/vendedlogs/VAMSWorkflowExecutions-prod:*"


def identifier(*names: str) -> str:
    """Return an id that looks random and is the same for ever: 32 lowercase hexadecimal digits."""
    return sha256("/".join(names).encode()).hexdigest()[:32]


class Bucket(NamedTuple):
    """A bucket that keeps assets below a prefix."""

    bucket_id: str
    name: str
    prefix: str = ""


MAIN_BUCKET = Bucket("b1a2c3d4-0000-4000-8000-000000000001", "vams-assets-main")
VENDOR_BUCKET = Bucket("b1a2c3d4-0000-4000-8000-000000000002", "vams-assets-vendor", "vendor/")
SCAN_BUCKET = Bucket("b1a2c3d4-0000-4000-8000-000000000003", "vams-assets-scans", "assets/")


RUNS = Bucket("b1a2c3d4-0000-4000-8000-000000000004", RUN_BUCKET)
BUCKETS = (MAIN_BUCKET, VENDOR_BUCKET, SCAN_BUCKET, RUNS)


@dataclass(frozen=True, slots=True)
class Database:
    """A named set of assets, workflows and pipelines."""

    database_id: str
    description: str
    asset_count: int
    bucket: Bucket = MAIN_BUCKET


@dataclass(frozen=True, slots=True)
class Asset:
    """An asset; ``archived_at`` is empty while it is in use."""

    database_id: str
    asset_id: str
    name: str
    description: str
    asset_type: str = ".step"
    tags: tuple[str, ...] = ()
    bucket: Bucket = MAIN_BUCKET
    archived_at: str = ""
    is_distributable: bool = True

    @property
    def root(self) -> str:
        """The prefix of the asset's files in its bucket."""
        return f"{self.bucket.prefix}{self.asset_id}/"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline; ``resource`` is the bare name or the ARN of what a step invokes."""

    database_id: str
    pipeline_id: str
    name: str
    category: str
    description: str
    execution_type: str = "Lambda"
    wait_for_callback: str = "Enabled"
    resource: str = ""
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Specified:
    """A pipeline's place in a workflow. ``job_name`` is the job with the suffix that its deployment gave it."""

    pipeline: Pipeline
    job: str
    job_name: str
    template: str = ""


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow; ``output`` is ``asset``, or ``none`` where its runs leave results only."""

    database_id: str
    workflow_id: str
    name: str
    category: str
    description: str
    specified: tuple[Specified, ...]
    output: str = "asset"
    allow: tuple[str, ...] = ("*",)
    archived: bool = False

    @property
    def arn(self) -> str:
        """The state machine that runs the workflow."""
        return f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:vams-{self.workflow_id}"


@dataclass(frozen=True, slots=True)
class Selection:
    """What a run was started with. ``path`` is relative to the asset: ``/`` is all of it, ``/x/`` a folder."""

    asset: Asset
    path: str = "/"
    version_id: str = ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a run was told of an asset, of one of its files or, without an asset, of a database."""

    database_id: str
    asset: Asset | None
    path: str = "/"
    metadata: dict[str, str] | None = None
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a step was told to do. ``template`` is its id; ``override`` the body that stood in for a template."""

    text: str = ""
    template: str = ""
    tags: tuple[tuple[str, Any], ...] = ()
    override: str = ""
    file_metadata: bool = True
    overridden: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file that a step left in the run's shared folder, and the version it became in the output asset."""

    path: str
    size: int
    content_type: str = "application/octet-stream"
    version_id: str = ""
    asset_version_id: str = ""
    file_type: str = "file"


@dataclass(frozen=True, slots=True)
class OutputMetadata:
    """A metadata value that a run wrote to the asset (``/``) or to one of its files."""

    target: str
    key: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class OutputResult:
    """A text that a run left for its reader."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class StepLog:
    """The summary texts of a step."""

    result: str = ""
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One pipeline execution.

    ``predecessor`` None stands for the step before, "" for none; ``metadata`` None stands for all of the run's.
    """

    step_id: str
    pipeline: Pipeline
    status: str = "NEW"
    started_at: str = ""
    stopped_at: str = ""
    predecessor: str | None = None
    configuration: Configuration = Configuration()
    metadata: tuple[Metadata, ...] | None = None
    files: tuple[OutputFile, ...] = ()
    output_metadata: tuple[OutputMetadata, ...] = ()
    results: tuple[OutputResult, ...] = ()
    sub_executions: tuple[dict[str, str], ...] = ()
    logs: tuple[dict[str, str], ...] = ()
    log: StepLog | None = None


@dataclass(frozen=True, kw_only=True)
class Run:
    """One workflow execution with all that hangs on it.

    ``output_asset`` None makes it a run that leaves results only; ``output_path`` is the folder of the output asset
    that is put before every path, ``/`` for none.
    """

    execution_id: str
    workflow: Workflow
    started_at: str
    steps: tuple[Step, ...]
    status: str = "SUCCEEDED"
    stopped_at: str = ""
    checked_at: str = ""
    triggered_by: str = "ana@example.com"
    trigger: str = "Manual"
    group_id: str = ""
    error: str = ""
    log: str = ""
    inputs: tuple[Selection, ...] = ()
    metadata: tuple[Metadata, ...] = ()
    named_database: str = ""
    source_assets: tuple[Asset, ...] = ()
    source_assets_truncated: bool = False
    output_asset: Asset | None = None
    output_path: str = "/"

    def with_step(self, place: int, **changes: Any) -> "Run":
        """Return the run with one of its steps changed; places count from 0, or back from -1."""
        steps = list(self.steps)
        steps[place] = replace(steps[place], **changes)
        return replace(self, steps=tuple(steps))
