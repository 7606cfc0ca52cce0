"""What a step left behind: files, metadata, results and its summary log, as VAMS writes them when the step ends."""

from collections.abc import Iterator

from graph.demo.model import LOG_GROUP, RUN_BUCKET, OutputFile, Run, Step, StepLog
from graph.demo.rows import Row, file_version_row, joined, keyed
from graph.tables.catalogue import OUTPUT_FILES, OUTPUT_METADATA, OUTPUT_RESULTS, STEP_LOGS


def outcome_rows(run: Run, step: Step) -> Iterator[Row]:
    """Files with the versions they became, metadata, results, and the summary log if the step has one."""
    for file in step.files:
        yield _output_file(run, step, file)
        if file.asset_version_id and run.output_asset:
            path = f"{run.output_path}{file.path}"
            yield file_version_row(run.output_asset, path, file.asset_version_id, run.execution_id)
    for metadata in step.output_metadata:
        yield Row(
            OUTPUT_METADATA,
            {
                **keyed(OUTPUT_METADATA, step.step_id, joined(metadata.target, metadata.key)),
                "targetFilePath": metadata.target,
                "metadataKey": metadata.key,
                "metadataValue": metadata.value,
                "sourceMetadataFileRelativePath": output_key(run, f"metadata/{metadata.source}"),
            },
        )
    for result in step.results:
        yield Row(
            OUTPUT_RESULTS,
            {
                **keyed(OUTPUT_RESULTS, step.step_id, result.path),
                "resultsContent": result.text,
                "resultsContentTruncated": False,
                "s3Key": output_key(run, f"results{result.path}"),
            },
        )
    if step.log is not None:
        yield _log(step, step.log)


def output_key(run: Run, name: str) -> str:
    """The S3 key of something that any step of the run left; all of them share one place."""
    first = run.workflow.specified[0]
    return f"pipelines/{first.job}/{first.job_name}/output/{run.execution_id}/{name}"


def _output_file(run: Run, step: Step, file: OutputFile) -> Row:
    """The end of the chain knows where its files go; the steps before it know the shared folder and no content type."""
    last = step is run.steps[-1]
    path = f"{run.output_path}{file.path}".removeprefix("/") if last else file.path
    folder = "previews" if file.file_type == "preview" else "files"
    return Row(
        OUTPUT_FILES,
        {
            **keyed(OUTPUT_FILES, step.step_id, joined(file.file_type, path)),
            "fileType": file.file_type,
            "relativeFilePath": path,
            "s3Bucket": RUN_BUCKET,
            "s3Key": output_key(run, f"{folder}/{file.path}"),
            "fileSize": file.size,
            "contentType": file.content_type if last else "",
            "s3VersionId": file.version_id,
        },
    )


def _log(step: Step, log: StepLog) -> Row:
    return Row(
        STEP_LOGS,
        {
            **keyed(STEP_LOGS, step.step_id, "summary"),
            "resultLog": log.result,
            "resultLogTruncated": False,
            "errorLog": log.error,
            "errorLogTruncated": False,
            "logGroupArn": LOG_GROUP,
            "logStreamName": "",
        },
    )
