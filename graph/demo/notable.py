"""The runs worth a look, each with the reason."""

from typing import NamedTuple

from graph.demo import event_kinds, gaps, insides, migrated, registrations, samples, shapes, sizes


class NotableRun(NamedTuple):
    """A run and what it shows, in one line."""

    execution_id: str
    shows: str


NOTABLE_RUNS = (
    NotableRun(samples.SAMPLE_EXECUTION_ID, "three steps over a file and a folder, with logs of every kind"),
    NotableRun(shapes.RUNNING_ID, "still running, in its second step"),
    NotableRun(shapes.FAILED_ID, "failed in its second step"),
    NotableRun(shapes.ABORTED_ID, "aborted by a user"),
    NotableRun(shapes.TIMED_OUT_ID, "timed out; its steps still say RUNNING and NEW"),
    NotableRun(shapes.STOPPED_OUTSIDE_ID, "stopped in the console of AWS; its row still says RUNNING"),
    NotableRun(shapes.RESULTS_ONLY_ID, "wrote no files, left three results"),
    NotableRun(shapes.NO_INPUTS_ID, "read no files, only the metadata of a named database"),
    NotableRun(shapes.WRITE_ONLY_ID, "read nothing, wrote to an asset"),
    NotableRun(shapes.PIPELINE_TWICE_ID, "one pipeline used twice in the chain"),
    NotableRun(shapes.SELECTIONS_ID, "a whole asset, two folders and a file as input"),
    NotableRun(shapes.SPELLINGS_ID, "file keys with spaces, colons, +, % and letters of several scripts"),
    NotableRun(gaps.ARCHIVED_ASSET_ID, "read an asset that is now archived"),
    NotableRun(gaps.DELETED_ASSET_ID, "read an asset that is now deleted"),
    NotableRun(shapes.LONG_CHAIN_ID, "forty steps of one pipeline"),
    NotableRun(gaps.BROKEN_CHAIN_ID, "a step whose predecessor does not exist"),
    NotableRun(gaps.PARTLY_DELETED_ID, "half deleted: its configuration is gone"),
    NotableRun(gaps.MALFORMED_DATE_ID, "a start date that is no date"),
    NotableRun(gaps.UNKNOWN_WORDS_ID, "a status and a trigger that nobody has heard of"),
    NotableRun(gaps.PENDING_REDRIVE_ID, "waits to be redriven"),
    NotableRun(gaps.DELETED_WORKFLOW_ID, "its workflow's definition is deleted"),
    NotableRun(gaps.ARCHIVED_WORKFLOW_ID, "its workflow is archived"),
    NotableRun(gaps.DISABLED_PIPELINE_ID, "one of its pipelines is disabled"),
    NotableRun(gaps.TRUNCATED_SOURCES_ID, "more metadata sources than its row could hold"),
    NotableRun(gaps.UNMATCHED_VERSIONS_ID, "three outputs, one of them with a version in the asset"),
    NotableRun(sizes.LARGE_LOG_ID, "a log of 390 KiB"),
    NotableRun(sizes.LARGE_METADATA_ID, "a thousand metadata entries in one row of 300 KiB"),
    NotableRun(sizes.MANY_OUTPUTS_ID, "1,452 output files"),
    NotableRun(sizes.MANY_INPUTS_ID, "400 input files"),
    NotableRun(sizes.CUT_SHORT_ID, "texts and collections that were cut to fit their rows"),
    NotableRun(registrations.REGISTRATIONS_ID, "sub-executions and logs of every kind, some of them twice"),
    NotableRun(registrations.SECRETS_ID, "secrets in its error and its logs, none of which may be seen"),
    NotableRun(insides.INSIDES_ID, "state machines within its steps: branches, 200 iterations, a redrive, a long loop"),
    NotableRun(event_kinds.EVENT_KINDS_ID, "state machines with every kind of event: aborts, time-outs, redrives"),
    NotableRun(migrated.MIGRATED_ID, "migrated, without a start date; its pipeline is deleted"),
    NotableRun(migrated.MIGRATED_DATED_ID, "migrated, with a start date and an output asset"),
    NotableRun(migrated.MIGRATED_ESTIMATED_ID, "migrated, its start date estimated and its id in capitals"),
    NotableRun(migrated.MIGRATED_TWO_STEPS_ID, "migrated, two steps, without a start date"),
)
