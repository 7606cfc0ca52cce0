import uuid

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graph.tables import keys
from graph.tables.keys import FileSelection

PLAIN = st.text().filter(lambda text: ":" not in text)
TEXTS = st.text(st.characters())


@given(st.uuids())
def test_both_spellings_of_an_execution_id_are_known(value: uuid.UUID) -> None:
    assert keys.is_execution_id(value.hex)
    assert keys.is_execution_id(str(value))
    assert not keys.is_migrated_id(value.hex)
    assert keys.is_migrated_id(str(value))


@pytest.mark.parametrize(
    "text",
    ["", "0" * 31, "0" * 33, "A" * 32, "0" * 32 + "\n", "g" * 32, "00000000-0000-0000-0000-00000000000", "\ud800" * 32],
)
def test_other_texts_are_no_execution_ids(text: str) -> None:
    assert not keys.is_execution_id(text)


@pytest.mark.parametrize("text", ["abc", "a-b_c", "A" * 63, "GLOBAL"])
def test_ids_are_of_three_to_63_plain_characters(text: str) -> None:
    assert keys.is_id(text)


@pytest.mark.parametrize(
    "text", ["", "ab", "a" * 64, "a b", "a:b", "äöü", "abc\n", "abc#deleted", "a/b/c", "\ud800abc"]
)
def test_other_texts_are_no_ids(text: str) -> None:
    assert not keys.is_id(text)


@pytest.mark.parametrize("text", ["a", "pump v2.step", "Größe", "a" * 256, "xd130a6d6-1b7c"])
def test_an_asset_id_is_a_file_name(text: str) -> None:
    assert keys.is_asset_id(text)


@pytest.mark.parametrize("text", ["", "a" * 257, "a:b", "a/b", "a\\b", "a\n", "ends.", "ends ", "a?", "\udfff"])
def test_other_texts_are_no_asset_ids(text: str) -> None:
    assert not keys.is_asset_id(text)


@given(PLAIN, PLAIN, TEXTS)
@example("db", "asset", "/a:b/c:d")
@example("db", "asset", "")
def test_a_composite_key_is_taken_apart_as_it_was_joined(database: str, asset: str, rest: str) -> None:
    assert keys.split(keys.join(database, asset, rest), 3) == (database, asset, rest)


@pytest.mark.parametrize(("text", "count"), [("", 2), ("a", 2), ("a:b", 3)])
def test_a_composite_key_of_too_few_parts_is_refused(text: str, count: int) -> None:
    with pytest.raises(ValueError, match=f"expected {count} parts"):
        keys.split(text, count)


@given(TEXTS)
def test_a_normal_file_key_has_one_leading_slash(key: str) -> None:
    normal = keys.normalize(key)
    assert normal.startswith("/")
    assert not normal.startswith("//")
    assert normal.lstrip("/") == key.lstrip("/")
    assert keys.normalize(normal) == normal


def test_no_file_key_is_the_whole_asset() -> None:
    assert keys.normalize(None) == keys.normalize("") == keys.WHOLE


@given(st.text(min_size=1).filter(lambda root: bool(root.strip("/"))), TEXTS)
def test_a_key_below_its_root_becomes_relative(root: str, rest: str) -> None:
    bare = root.strip("/")
    assert keys.relative(f"{bare}/{rest}", root) == f"/{rest}"


@pytest.mark.parametrize(
    ("key", "root", "expected"),
    [
        ("pump/", "pump/", "/"),
        ("pump", "pump/", "/"),
        ("/pump/a.step", "/pump", "/a.step"),
        ("pump-2/a.step", "pump", "pump-2/a.step"),
        ("other/a.step", "pump/", "other/a.step"),
        ("pump/a.step", "", "pump/a.step"),
        ("pump/%41/../b", "pump", "/%41/../b"),
    ],
)
def test_a_key_outside_its_root_stays_as_it_is(key: str, root: str, expected: str) -> None:
    assert keys.relative(key, root) == expected


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/", "pump-station/", "/pump-station/"),
        ("/models/", "pump-station/", "/pump-station/models/"),
        ("/models/pump.step", "pump-station/", "/pump-station/models/pump.step"),
        ("models/pump.step", "/assets/pump-station", "/assets/pump-station/models/pump.step"),
        ("/a.step", "", "/a.step"),
    ],
)
def test_a_bucket_key_is_the_root_and_the_path(path: str, root: str, expected: str) -> None:
    assert keys.bucket_key(path, root) == expected


@given(st.text(), st.text())
def test_a_bucket_key_is_taken_apart_again(path: str, root: str) -> None:
    assert keys.relative(keys.bucket_key(path, root), root) == keys.normalize(path)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (keys.workflow_key("plant-models", "convert-qa-thumb"), "plant-models:convert-qa-thumb"),
        (keys.pipeline_key("GLOBAL", "mesh-convert"), "GLOBAL:mesh-convert"),
        (keys.asset_key("plant-models", "pump-station"), "plant-models:pump-station"),
        (
            keys.file_key("plant-models", "pump-station", "models/a:b.step"),
            "plant-models:pump-station:/models/a:b.step",
        ),
        (keys.file_key("plant-models", "pump-station", ""), "plant-models:pump-station:/"),
        (keys.file_key("plant-models", "", "/"), "plant-models::/"),
        (keys.output_file_key("file", "converted/pump.glb"), "file:converted/pump.glb"),
        (keys.output_metadata_key("/", "qaScore"), "/:qaScore"),
        (keys.event_source("vams.prod", "e1", "s1"), "vams.prod.execution.e1.pipeline.s1"),
    ],
)
def test_a_key_has_the_format_of_vams(key: str, expected: str) -> None:
    assert key == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/", FileSelection.WHOLE_ASSET), ("/a/", FileSelection.FOLDER), ("/a", FileSelection.FILE)],
)
def test_a_path_selects_a_file_a_folder_or_the_whole(path: str, expected: FileSelection) -> None:
    assert keys.selection(path) is expected


def test_the_prefix_of_an_asset_keeps_its_neighbours_out() -> None:
    prefix = keys.asset_prefix("db", "pump")
    assert keys.join("db", "pump", "/a:b.step").startswith(prefix)
    assert not keys.join("db", "pump-2", "/a.step").startswith(prefix)


def test_an_output_stands_as_recorded_or_below_the_runs_folder() -> None:
    assert keys.asset_paths("out/a.glb", "/run 7/") == ("/out/a.glb", "/run 7/out/a.glb")
    assert keys.asset_paths("/a.glb", "") == keys.asset_paths("/a.glb", "/") == ("/a.glb",)


def test_archived_assets_lie_in_a_partition_that_no_database_has() -> None:
    assert keys.archived("plant") == "plant#deleted"
    assert not keys.is_id(keys.archived("plant"))


@given(st.text(st.characters(exclude_categories=[])))
def test_what_utf_8_cannot_spell_is_no_text(value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        assert not keys.is_text(value)
    else:
        assert keys.is_text(value)


def test_a_sort_key_is_bounded_in_bytes() -> None:
    assert keys.is_sort_key("a" * 1024)
    assert keys.is_sort_key("ä" * 512)
    assert not keys.is_sort_key("a" * 1025)
    assert not keys.is_sort_key("ä" * 513)


def test_a_user_id_is_a_text_of_at_most_256_characters() -> None:
    assert keys.is_user_id("ana@example.com")
    assert not keys.is_user_id("a" * 257)
    assert not keys.is_user_id("\ud800")
