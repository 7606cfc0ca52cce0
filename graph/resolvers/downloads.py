"""Links to what runs read and wrote, for those who may download it in VAMS.

A file of an asset is let out as VAMS lets it out: by the route of its downloads, by the asset itself, and by its mark
that it may be distributed. What a run wrote for an asset is the same bytes wherever they lie, and is let out as the
asset is. Nobody learns by a refusal whether an asset is hidden, undistributable or gone.
"""

from graph.auth import routes
from graph.context import Context
from graph.errors import BadUserInput, Forbidden
from graph.files import kinds
from graph.files.store import FileDownload
from graph.loaders.base import KeyRange
from graph.resolvers.gate import visible
from graph.tables import keys
from graph.tables.records.definitions import AssetRow, FileVersionRow
from graph.tables.records.executions import ConfigurationRow
from graph.tables.records.inputs import InputRow, S3Location, StepInputFileRow, location
from graph.tables.records.outputs import OutputFileRow, OutputResultRow
from graph.tables.records.steps import StepRow
from graph.tables.states import AssetStatus, OutputLocationType

DEFAULT_SECONDS = 300
_FEWEST_SECONDS = 30


async def of_input(
    file: InputRow | StepInputFileRow, context: Context, expires_in_seconds: int = DEFAULT_SECONDS
) -> FileDownload | None:
    """Return a link to a file that a run read; None for a folder, a whole asset, and what is gone or archived.

    Raises:
        BadUserInput: for seconds out of bounds, and for more links than one operation is given.
        Forbidden: when the viewer may not download it.
    """
    _check_seconds(context, expires_in_seconds)
    place = await _place_of_input(file, context)
    return await _link(context, file.execution_id, place, expires_in_seconds)


async def of_output(
    file: OutputFileRow, context: Context, expires_in_seconds: int = DEFAULT_SECONDS
) -> FileDownload | None:
    """Return a link to a file that a run wrote: the asset's own where there is one, else the run's. Raises likewise."""
    _check_seconds(context, expires_in_seconds)
    step, place = await _place_of_output(file, context)
    return await _link(context, step.execution_id, place, expires_in_seconds, file.content_type)


async def of_result(
    result: OutputResultRow, context: Context, expires_in_seconds: int = DEFAULT_SECONDS
) -> FileDownload | None:
    """Return a link to a result of a run. Raises likewise."""
    _check_seconds(context, expires_in_seconds)
    step, place = await _place_of_result(result, context)
    return await _link(context, step.execution_id, place, expires_in_seconds)


async def may_download_input(file: InputRow | StepInputFileRow, context: Context) -> bool:
    """Return whether a link would be given, as far as can be told without asking S3."""
    try:
        return await _place_of_input(file, context) is not None
    except Forbidden:
        return False


async def may_download_output(file: OutputFileRow, context: Context) -> bool:
    """Return whether a link would be given, as far as can be told without asking S3."""
    try:
        return (await _place_of_output(file, context))[1] is not None
    except Forbidden:
        return False


async def may_download_result(result: OutputResultRow, context: Context) -> bool:
    """Return whether a link would be given, as far as can be told without asking S3."""
    try:
        return (await _place_of_result(result, context))[1] is not None
    except Forbidden:
        return False


async def _place_of_input(file: InputRow | StepInputFileRow, context: Context) -> S3Location | None:
    _require_route(context, (file.database_id, file.asset_id))
    place = file.location if file.selection is keys.FileSelection.FILE else None
    asset, is_registered = await context.scope.gather(
        _asset(context, file.database_id, file.asset_id), _is_registered(context, place)
    )
    if place is None or (asset.root and not f"/{place.key}".startswith(keys.bucket_key("", asset.root))):
        return None
    return _lettable(place, is_registered=is_registered)


async def _place_of_output(file: OutputFileRow, context: Context) -> tuple[StepRow, S3Location | None]:
    step, configuration, ids = await _origin(context, file.pipeline_execution_id)
    if ids is None:
        is_registered = await _is_registered(context, file.location)
        place = file.location
    else:
        asset, version, is_registered = await context.scope.gather(
            _asset(context, *ids), _version(context, file, configuration, ids), _is_registered(context, file.location)
        )
        of_asset = await _place_in_asset(context, asset, version) if version is not None else None
        place, is_registered = (of_asset, True) if of_asset is not None else (file.location, is_registered)
    return step, _lettable(place, file.content_type, is_registered=is_registered) if place is not None else None


async def _place_of_result(result: OutputResultRow, context: Context) -> tuple[StepRow, S3Location | None]:
    step, _, ids = await _origin(context, result.pipeline_execution_id)
    place = location(step.bucket, result.s3_key)
    is_registered = await _is_registered(context, place)
    if ids is not None:
        await _asset(context, *ids)
    return step, _lettable(place, is_registered=is_registered) if place is not None else None


async def _origin(
    context: Context, pipeline_execution_id: str
) -> tuple[StepRow, ConfigurationRow, tuple[str, str] | None]:
    """Return the step that wrote something, what its run was launched with, and the asset that the run writes to.

    The asset is None where the run surely writes to none.

    Raises:
        Forbidden: where any of this is not known, and where the route of the asset is closed.
    """
    _require_downloads(context)
    step = await context.loaders.steps.by_id.load(pipeline_execution_id)
    configuration = await context.loaders.configurations.of_execution(step.execution_id) if step else None
    if step is None or configuration is None:
        raise Forbidden
    ids = configuration.output_asset
    if ids is not None:
        _require_route(context, ids)
    elif configuration.location_type is not OutputLocationType.NONE:
        raise Forbidden
    return step, configuration, ids


def _require_route(context: Context, ids: tuple[str, str]) -> None:
    _require_downloads(context)
    if not context.access.permits(routes.asset_download(*ids), "POST"):
        raise Forbidden


def _require_downloads(context: Context) -> None:
    if not context.services.settings.downloads:
        raise Forbidden


async def _asset(context: Context, database_id: str, asset_id: str) -> AssetRow:
    """Return an asset that the viewer may see and whose files may be let out; VAMS lets out none that is archived.

    Raises:
        Forbidden: when there is no such asset.
    """
    asset = await visible(context, await context.loaders.assets.find(database_id, asset_id))
    if asset is None or asset.status is not AssetStatus.ACTIVE or asset.is_distributable is not True:
        raise Forbidden
    return asset


async def _version(
    context: Context, file: OutputFileRow, configuration: ConfigurationRow, asset: tuple[str, str]
) -> FileVersionRow | None:
    """Return the version of the asset's file that an output became."""
    found = await context.scope.gather(
        *(
            context.loaders.file_versions.load((configuration.execution_id, keys.file_key(*asset, path)))
            for path in keys.asset_paths(file.relative_path, configuration.path_extension)
        )
    )
    return next((version for version in found if version is not None), None)


async def _place_in_asset(context: Context, asset: AssetRow, version: FileVersionRow) -> S3Location | None:
    """Return where an asset keeps a version of a file, in the bucket that it names; None where that is not known."""
    bucket = await context.loaders.buckets.by_id.load(asset.bucket_id) if asset.bucket_id and asset.root else None
    return location(bucket.name, keys.bucket_key(version.path, asset.root), version.version_id) if bucket else None


async def _is_registered(context: Context, place: S3Location | None) -> bool:
    """Return whether a place is in a bucket that VAMS registered, or a setting names."""
    if place is None or place.bucket in context.services.settings.download_buckets:
        return place is not None
    return bool((await context.loaders.buckets.by_name.load(KeyRange(place.bucket, limit=1))).rows)


def _lettable(place: S3Location, media_type: str | None = None, *, is_registered: bool) -> S3Location:
    """Return a place of a kind that VAMS lets out, in a bucket that may be linked to.

    Raises:
        Forbidden: when it is none.
    """
    if not is_registered or kinds.is_refused(kinds.file_name(place.key), media_type):
        raise Forbidden
    return place


async def _link(
    context: Context, execution_id: str, place: S3Location | None, seconds: int, media_type: str | None = None
) -> FileDownload | None:
    if place is None:
        return None
    context.files.take_link()
    store = context.files.store
    facts = await store.facts(place)
    if facts is None or facts.is_archived:
        return None
    if kinds.is_refused(kinds.file_name(place.key), facts.content_type, media_type):
        raise Forbidden
    made = await store.link(place, facts, seconds)
    context.access.note_link(execution_id, f"{place.bucket}/{place.key}", place.version_id)
    return made


def _check_seconds(context: Context, seconds: int) -> None:
    most = context.services.settings.download_seconds
    if not _FEWEST_SECONDS <= seconds <= most:
        raise BadUserInput(f"'expiresInSeconds' must be from {_FEWEST_SECONDS} to {most}.")
