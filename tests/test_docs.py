"""What the pages say of the graph, the settings and the tables is what the code says; docstrings are commands."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from graphql import GraphQLInterfaceType, GraphQLObjectType, GraphQLSchema, build_schema, parse, validate

from graph.demo.permissions import API_KEY_OF
from graph.settings import Settings
from graph.tables.catalogue import ALL_TABLES, BUCKETS, EXECUTION_TABLES, EXECUTIONS, LOCKS, TABLES
from graph.tables.writer import COMPLETION
from tests import settings

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "graph"
# Words that begin a description. Ruff's D401 knows verbs in other moods, and some of these.
DESCRIPTIONS = re.compile(
    r"(A|About|After|All|An|Any|Another|As|At|Both|By|Bytes|Each|Every|Everything|For|From|How|If|In|It|Its|Itself|"
    r"Milliseconds|No|None|Nothing|Of|On|One|Only|Others|Rows|Seconds|Since|So|Some|That|The|Their|Them|This|Those|"
    r"Until|Up|What|Whatever|When|Where|Whether|Which|Who|Whose|Why|Without)\b"
)
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def blocks(text: str, language: str) -> Iterator[str]:
    yield from re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema((ROOT / "schema.graphql").read_text())


@each_page
def test_every_document_is_valid(page: Path, schema: GraphQLSchema) -> None:
    for document in blocks(page.read_text(), "graphql"):
        assert validate(schema, parse(document)) == []


@each_page
def test_every_field_that_is_named_exists(page: Path, schema: GraphQLSchema) -> None:
    for owner, name, argument in re.findall(r"`([A-Z]\w+)\.(\w+)(?:\((\w+):[^`]*\))?`", page.read_text()):
        named = schema.type_map.get(owner)
        assert named is not None, owner
        fields = getattr(named, "fields", {})
        assert name in fields, f"{owner}.{name}"
        if isinstance(named, GraphQLObjectType | GraphQLInterfaceType) and argument:
            assert argument in named.fields[name].args, f"{owner}.{name}({argument}:)"


@each_page
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).is_file(), target


@each_page
def test_every_setting_that_is_named_exists(page: Path) -> None:
    text = re.sub(r"^### Removed\n.*?^#", "#", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"VAMS_GRAPH_([A-Z_]+)", text))
    assert {name.lower() for name in named} <= set(Settings.model_fields)


def test_every_key_of_the_demo_is_listed() -> None:
    for user, key in API_KEY_OF.items():
        assert f"| `{key}` | {user} | " in (ROOT / "README.md").read_text()


def test_the_tables_of_settings_are_those_of_the_code() -> None:
    """``make settings`` writes them."""
    assert settings.page() == OPERATIONS


def test_every_setting_is_in_one_group() -> None:
    grouped = [name for group in settings.groups() for name in group.model_fields]
    assert sorted(grouped) == sorted(Settings.model_fields)
    assert OPERATIONS.count("| `VAMS_GRAPH_") == len(grouped)


def test_every_table_is_listed_with_its_names() -> None:
    for table in ALL_TABLES:
        variables = " or ".join(f"`{variable}`" for variable in table.variables)
        named = f"{table.name}, with `VAMS_GRAPH_DOWNLOADS`" if table is BUCKETS else table.name
        assert f"| {named} | {variables} | `{table.parameter}` |" in OPERATIONS


def test_the_policy_allows_what_is_read_and_no_more() -> None:
    policy, write_back, acting = blocks(OPERATIONS, "json")
    statements = {statement["Sid"]: statement for statement in json.loads(policy)["Statement"]}
    table_of = "arn:aws:dynamodb:REGION:ACCOUNT:table/{}".format
    indexes_of = "arn:aws:dynamodb:REGION:ACCOUNT:table/{}/index/*".format
    assert set(statements["ReadTables"]["Resource"]) == (
        {table_of(table.name) for table in TABLES} | {indexes_of(table.name) for table in TABLES if table.indexes}
    )
    assert set(statements["CheckTables"]["Resource"]) == {table_of(table.name) for table in TABLES}
    assert statements["ReadBuckets"]["Resource"] == [table_of(BUCKETS.name), indexes_of(BUCKETS.name)]
    written = json.loads(write_back)
    assert (written["Action"], written["Resource"]) == ("dynamodb:UpdateItem", table_of(EXECUTIONS.name))
    (conditions,) = written["Condition"].values()
    assert set(conditions["dynamodb:Attributes"]) == {*EXECUTIONS.key, "lastSfnSyncCheckDate", *COMPLETION}
    acts = {statement["Sid"]: statement for statement in json.loads(acting)["Statement"]}
    assert set(acts["DeleteRows"]["Resource"]) == {table_of(table.name) for table in EXECUTION_TABLES}
    assert acts["ReleaseLocks"]["Resource"] == table_of(LOCKS.name)


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    descriptive = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {docstring.splitlines()[0]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
        if (docstring := ast.get_docstring(node)) and DESCRIPTIONS.match(docstring)
    ]
    assert descriptive == []
