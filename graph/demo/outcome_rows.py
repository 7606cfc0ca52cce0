"""What a step left behind: files, metadata, results and its summary log, as VAMS writes them when the step ends."""

from collections.abc import Iterator

from graph.demo.model import LOG_GROUP, RUN_BUCKET, OutputFile, Run, Step, StepLog
from graph.demo.rows import Row, built, file_version_row
from graph.tables.builders.outputs import OutputFileRecord, OutputMetadataRecord, OutputResultRecord
from graph.tables.builders.steps import StepLogRecord
from graph.tables.states import OutputFileType


def outcome_rows(run: Run, step: Step) -> Iterator[Row]:
    """Yield files with the versions they became, metadata, results, and the summary log if the step has one."""
    for file in step.files:
        yield _output_file(run, step, file)
        if file.asset_version_id and run.output_asset:
            path = f"{run.output_path}{file.path}"
            yield file_version_row(run.output_asset, path, file.asset_version_id, run.execution_id)
    for metadata in step.output_metadata:
        yield built(
            OutputMetadataRecord(
                pipeline_execution_id=step.step_id,
                target_path=metadata.target,
                key=metadata.key,
                value=metadata.value,
                source_key=output_key(run, f"metadata/{metadata.source}"),
            )
        )
    for result in step.results:
        yield built(
            OutputResultRecord(
                pipeline_execution_id=step.step_id,
                relative_path=result.path,
                body=result.text,
                s3_key=output_key(run, f"results{result.path}"),
            )
        )
    if step.log is not None:
        yield _log(step, step.log)


def output_key(run: Run, name: str) -> str:
    """Return the S3 key of something that any step of the run left; all of them share one place."""
    first = run.workflow.specified[0]
    return f"pipelines/{first.job}/{first.job_name}/output/{run.execution_id}/{name}"


def _output_file(run: Run, step: Step, file: OutputFile) -> Row:
    """Return the outputs row: the last step knows where its files go, the others only the shared folder."""
    last = step is run.steps[-1]
    folder = "previews" if file.file_type == "preview" else "files"
    return built(
        OutputFileRecord(
            pipeline_execution_id=step.step_id,
            file_type=OutputFileType(file.file_type),
            relative_path=f"{run.output_path}{file.path}" if last else file.path,
            size=file.size,
            bucket=RUN_BUCKET,
            s3_key=output_key(run, f"{folder}/{file.path}"),
            s3_version_id=file.version_id,
            content_type=file.content_type if last else "",
        )
    )


def _log(step: Step, log: StepLog) -> Row:
    return built(
        StepLogRecord(
            pipeline_execution_id=step.step_id, result_log=log.result, error_log=log.error, log_group_arn=LOG_GROUP
        )
    )
