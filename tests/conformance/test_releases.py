"""What was released is not taken back: ``make check-schema``."""

from pathlib import Path

from tests.conformance.conftest import ROOT, Node

RELEASED = """
type Query {
  kept(old: Int @deprecated(reason: "Ask without."), other: Int): Kind
  deprecated: Int @deprecated(reason: "Ask for kept.")
  loose: Int
}
enum Kind { ONE, TWO, OLD @deprecated(reason: "Nobody knows it.") }
input Unused { name: String, old: String @deprecated(reason: "Never read.") }
"""
BROKEN = """
type Query {
  kept(old: Int @deprecated(reason: "Ask without.")): Kind
  deprecated: Int @deprecated(reason: "Ask for kept.")
}
enum Kind { ONE, OLD @deprecated(reason: "Nobody knows it.") }
input Unused { name: String!, old: String @deprecated(reason: "Never read.") }
"""
CHANGED = """
type Query {
  kept(other: Int, new: Int): Kind
  loose: Int
  new: New
}
type New { name: String }
enum Kind { ZERO, ONE, TWO }
input Unused { name: String }
"""


def check(node: Node, *schemas: Path) -> tuple[bool, list[str]]:
    """Whether the check is passed, and what it says."""
    done = node.call("check-schema.mjs", *map(str, schemas))
    assert done.stderr == ""
    return done.returncode == 0, done.stdout.splitlines()


def check_change(node: Node, directory: Path, *schemas: str) -> tuple[bool, list[str]]:
    paths = [directory / "before.graphql", directory / "after.graphql"]
    for path, schema in zip(paths, schemas, strict=True):
        path.write_text(schema)
    return check(node, *paths)


def test_nothing_that_was_released_is_broken(node: Node) -> None:
    assert check(node) == (True, [])


def test_a_removed_field_fails(node: Node, tmp_path: Path) -> None:
    exported = (ROOT / "schema.graphql").read_text()
    renamed = exported.replace("  isMigrated: Boolean!", "  wasMigrated: Boolean!")
    said = "Field 'isMigrated' was removed from object type 'Execution'"
    assert check_change(node, tmp_path, exported, renamed) == (False, [said])


def test_what_breaks_clients_fails(node: Node, tmp_path: Path) -> None:
    passed, said = check_change(node, tmp_path, RELEASED, BROKEN)
    assert not passed
    assert sorted(said) == [
        "Argument 'other: Int' was removed from field 'Query.kept'",
        "Enum value 'TWO' was removed from enum 'Kind'",
        "Field 'loose' was removed from object type 'Query'",
        "Input field 'Unused.name' changed type from 'String' to 'String!'",
    ]


def test_what_was_deprecated_may_go_and_what_is_new_may_come(node: Node, tmp_path: Path) -> None:
    assert check_change(node, tmp_path, RELEASED, CHANGED) == (True, [])
