"""Documents that were written to hurt, by name. Each is a text; those in ADMITTED may run, all others are refused."""

from collections.abc import Iterator

WORST = 3_000  # tokens that are admitted, give or take


def _repeated(part: str, times: int, around: str = "{{ {} }}") -> str:
    return around.format(" ".join(part.replace("%", str(number)) for number in range(times)))


def _chain(times: int, body: str, last: str, kind: str = "Query") -> str:
    fragments = (f"fragment f{i} on {kind} {{ {body.replace('%', str(i + 1))} }}" for i in range(times))
    return f"{{ ...f0 }} {' '.join(fragments)} fragment f{times} on {kind} {{ {last} }}"


def _nested(opening: str, closing: str, times: int, core: str = "id") -> str:
    return "{" + opening * times + core + closing * times + "}"


def _fragments() -> Iterator[tuple[str, str]]:
    for times in (30, 60, 200):
        yield f"doubling fragments {times}", _chain(times, "... { ...f% } ... { ...f% }", "__typename")
    node = 'a: node(id: "x") { ... on Execution { group { executions { nodes { id } } } } } '
    yield (
        "doubling fragments with aliases",
        _chain(60, "... { ...f% } b: __typename ... @skip(if: false) { ...f% }", node),
    )
    yield (
        "doubling of fields",
        _chain(
            40,
            "workflow { executions { nodes { ...f% } } } group { executions { nodes { ...f% } } }",
            "id",
            "Execution",
        ),
    )
    yield "fragment of itself", "{ ...f } fragment f on Query { ...f }"
    yield "fragments in a ring", _chain(200, "...f%", "...f0")
    yield "two rings that touch", _chain(50, "...f% ...f0", "...f0 ...f25")
    yield "fragments in a row", _chain(350, "...f%", "__typename")
    yield (
        "fragment in a field of itself",
        "{ ...f } fragment f on Query { ...f executions { nodes { workflow { ...g } } } } "  # noqa: ISC004
        "fragment g on Workflow { executions { nodes { workflow { ...g } } } }",
    )
    yield (
        "every fragment spreads every other",
        " ".join(
            [
                "{ ...f0 }",
                *(f"fragment f{i} on Query {{ {' '.join(f'...f{j}' for j in range(28))} }}" for i in range(28)),
            ]
        ),
    )
    yield "unknown fragment", "{ ...nowhere }"
    yield "unknown fragments", _repeated("...nowhere%", 1_000)
    yield "unused fragments", "{ __typename } " + _repeated("fragment f% on Query { __typename }", 350, "{}")
    yield "fragment on a scalar", "{ ...f } fragment f on String { length }"
    yield "fragment on an input", "{ ...f } fragment f on ExecutionFilter { workflowId }"
    yield "fragment on a type that is not", "{ ...f } fragment f on Nothing { nothing { nothing } }"
    yield "one name for many fragments", "{ ...f } " + "fragment f on Query { __typename } " * 300
    yield (
        "operations times fragments",
        _repeated("query q%($v: ID!) { ...f0 }", 80, "{}") + _chain(80, "...f%", "__typename")[10:],
    )


def _width() -> Iterator[tuple[str, str]]:
    yield "7,000 aliases", _repeated('a%: node(id: "x") { id }', 7_000)
    yield "aliases as many as tokens allow", _repeated('a%: node(id: "x") { id }', WORST // 11)
    yield "aliases of one word", _repeated("a%: __typename", WORST // 3 - 2)
    yield "aliases in a fragment", "{ ...f } " + _repeated("a%: __typename", 500, "fragment f on Query {{ {} }}")
    yield "aliases of introspection", _repeated("a%: __schema { types { name fields { name } } }", 100)
    yield "root fields", _repeated('node(id: "%") { id }', WORST // 10)
    yield "fields that are not", _repeated("nothing%", WORST - 10)
    yield "fields that are nearly", _repeated("executionz%", WORST - 10)
    yield "same field again and again", "{" + "__typename " * (WORST - 10) + "}"
    yield "same page again and again", "{" + "executions { nodes { id } } " * (WORST // 7) + "}"
    yield "overlapping inline fragments", "{" + "... { executions { nodes { id } } } " * (WORST // 10) + "}"
    yield "364 kB of overlapping inline fragments", "{" + "... { executions { nodes { id } } } " * 10_000 + "}"
    yield "overlapping fields with different arguments", _repeated("executions(first: %) { nodes { id } }", WORST // 12)
    yield (
        "overlap through fragments",
        _repeated("...f%", 60)
        + _repeated("fragment f% on Query { executions { nodes { ...g } } a%: __typename }", 60, "{}")
        + " fragment g on Execution { id }",
    )
    yield "overlap in depth", "{" + _nested("executions { nodes { workflow { ", " } } }", 6)[1:-1] * 40 + "}"
    yield "conflicts", _repeated('a: execution(executionId: "%") { id }', WORST // 12)
    yield "a million spaces", "{" + " " * 1_000_000 + "__typename }"
    yield "comments", "{" + "#\n" * 30_000 + "__typename }"
    yield "a long name", "{" + "a" * 60_000 + "}"
    yield "a long operation name", "query " + "q" * 60_000 + "{ __typename nothing }"
    yield "a long string", '{ node(id: "' + "x" * 60_000 + '") { id } nothing }'
    yield "a long block string", '{ node(id: """' + "\n x" * 20_000 + '""") { id } nothing }'
    yield "operations", _repeated("query q% { __typename }", WORST // 6, "{}")
    yield "operations of one name", "query q { __typename } " * (WORST // 6)
    yield "anonymous operations", "{ __typename } " * (WORST // 4)


def _depth() -> Iterator[tuple[str, str]]:
    for times in (15, 100, 190, 5_000, 20_000):
        yield f"fields {times} deep", _nested("node { ", "}", times)
        if times > 190:
            yield f"inline fragments {times} deep", _nested("... { ", "}", times, "__typename")
    yield "braces without end", "{" * 30_000
    yield "brackets without end", "query ($v: " + "[" * 30_000
    yield "a list type 1,000 deep", "query ($v: " + "[" * 1_000 + "ID" + "]" * 1_000 + ") { __typename }"
    yield "a list 1,000 deep", "{ nodes(ids: " + "[" * 1_000 + "]" * 1_000 + ") { id } }"
    yield "a list 150 deep", "{ nodes(ids: " + "[" * 150 + "]" * 150 + ") { id } }"
    yield (
        "an object 1,000 deep",
        "{ executions(filter: " + "{workflow: " * 1_000 + "1" + "}" * 1_000 + ") { nodes { id } } }",
    )
    yield "an object 150 deep", "{ executions(filter: " + "{workflow: " * 150 + "1" + "}" * 150 + ") { nodes { id } } }"
    yield "pages in pages", _nested("executions(first: 100) { nodes { workflow { ", "} } }", 5)
    yield (
        "a fragment deep in fields deep in fragments",
        _chain(60, "workflow { executions { nodes { ...f% } } }", "id", "Execution"),
    )
    yield (
        "introspection in depth",
        _nested(
            "__schema { types { fields { type { ",
            "} } } }",
            1,
            "fields { type { fields { type { fields { name } } } } }",
        ),
    )
    yield "ofType without end", _nested("__schema { types { ", "} }", 1, "ofType { " * 80 + "name" + "}" * 80)


def _directives() -> Iterator[tuple[str, str]]:
    yield "10,000 directives", "{ __typename " + "@include(if: true) " * 10_000 + "}"
    yield "directives as many as tokens allow", "{ __typename " + "@include(if: true) " * (WORST // 7) + "}"
    yield "unknown directives", "{ __typename " + "@x " * (WORST // 2 - 5) + "}"
    yield "unknown directives of many names", "{ __typename " + " ".join(f"@x{i}" for i in range(WORST // 2 - 5)) + "}"
    yield "directives on the operation", "query " + "@skip(if: true) " * 400 + "{ __typename }"
    yield "directives on a variable", "query ($v: ID " + "@x " * 1_000 + ") { __typename }"
    yield "directives on a spread", "{ ...f " + "@skip(if: false) " * 400 + "} fragment f on Query { __typename }"
    yield "directives on a fragment", "{ ...f } fragment f on Query " + "@x " * 1_000 + "{ __typename }"
    yield "a directive on every field", _repeated("a%: __typename @skip(if: true)", WORST // 9)
    yield "directives in an unused fragment", "{ __typename } fragment f on Query { __typename " + "@x " * 1_000 + "}"
    yield "defer and stream", "{ ... @defer { __typename } executions { nodes @stream(initialCount: 1) { id } } }"
    yield "directives of the schema", "{ __typename @cost(weight: 0) @listSize(assumedSize: 0) }"


def _values() -> Iterator[tuple[str, str]]:
    yield "an integer of 5,000 digits", "{ executions(first: 1" + "0" * 5_000 + ") { nodes { id } } }"
    yield "an integer of 60,000 digits", "{ executions(first: " + "9" * 60_000 + ") { nodes { id } } }"
    yield "a float that is infinite", "{ executions(first: 1e999999) { nodes { id } } }"
    yield "a float of many digits", "{ executions(first: 0." + "1" * 60_000 + ") { nodes { id } } }"
    yield "an integer as id", "{ node(id: 1" + "0" * 5_000 + ") { id } nothing }"
    yield "an argument again and again", "{ executions(" + "first: 1 " * (WORST // 3 - 10) + ") { nodes { id } } }"
    yield (
        "arguments that are not",
        "{ executions(" + " ".join(f"a{i}: 1" for i in range(WORST // 3 - 10)) + ") { nodes { id } } }",
    )
    yield "input fields again and again", "{ executions(filter: {" + "workflowId: 1 " * 900 + "}) { nodes { id } } }"
    yield (
        "input fields that are not",
        "{ executions(filter: {" + " ".join(f"a{i}: 1" for i in range(900)) + "}) { nodes { id } } }",
    )
    yield "enum values that are not", "{ executions(filter: {status: [" + "FAILD " * 2_900 + "]}) { nodes { id } } }"
    yield "ids as many as tokens allow", "{ nodes(ids: [" + '"x" ' * 2_900 + "]) { id } nothing }"
    yield "variables", "query (" + " ".join(f"$v{i}: ID" for i in range(WORST // 4 - 5)) + ") { __typename }"
    yield "a variable again and again", "query (" + "$v: ID " * 700 + ") { __typename }"
    yield "variables that are not", _repeated("a%: node(id: $v%) { id }", WORST // 12)
    yield (
        "variables of types that are not",
        "query (" + " ".join(f"$v{i}: Executio" for i in range(700)) + ") { __typename }",
    )
    yield "defaults", "query (" + " ".join(f'$v{i}: ID! = "x"' for i in range(400)) + ") { __typename }"
    yield "a default of its own variable", "query ($v: ID = $v) { node(id: $v) { id } }"
    yield "a page of two billion", "{ executions(first: 2147483647) { nodes { id } } }"
    yield "a null that may not be", "{ node(id: null) { id } }"
    yield "an object that refers to itself", "{ executions(filter: $f) { nodes { id } } }"


def _texts() -> Iterator[tuple[str, str]]:
    yield "nothing but blanks", " \n\t "
    yield "a null character", "{ \0 }"
    yield "a byte order mark alone", "\ufeff"
    yield "a string that does not end", '{ node(id: "x'
    yield "a block string that does not end", '{ node(id: """x'
    yield "a bad escape", '{ node(id: "\\q") { id } }'
    yield "a surrogate escaped", '{ node(id: "\\uD800") { id } }'
    yield "a code point beyond all", '{ node(id: "\\u{110000000000000000000}") { id } }'
    yield "emoji as names", "{ 🏃 }"
    yield "right to left", "{ \u202e__typename }"
    yield "a schema", "type Query { a: Int }"
    yield "an extension", "extend type Query { a: Int }"
    yield "a schema beside an operation", "{ __typename } type Mutation { a: Int }"
    yield "a mutation", "mutation { deleteEverything }"
    yield "a subscription", "subscription { everything { id } }"
    yield "a subscription of two", "subscription { a b }"
    yield "no selection", "{ executions }"
    yield "a selection of a scalar", "{ __typename { length } }"
    yield "_entities", '{ _entities(representations: [{__typename: "Execution", id: "x"}]) { __typename } }'
    yield "_service", "{ _service { sdl } }"
    yield "SQL", "SELECT * FROM executions; DROP TABLE executions"
    yield "HTML", "<script>alert(1)</script>"


REFUSED = dict(pair for part in (_fragments, _width, _depth, _directives, _values, _texts) for pair in part())

INTROSPECTION = {
    "a fragment named __schema": "{ ...__schema } fragment __schema on Query { __schema { types { name } } }",
    "introspection in width": "{ __schema { types { fields { args { type { fields { args { name } } } } } } } }",
}

# What hurts nobody, though it looks as if.
ADMITTED = {
    "fragments in a row, few": _chain(50, "...f%", "__typename"),
    "a fragment spread again and again": "{" + "...f " * 1_000 + "} fragment f on Query { __typename }",
    "commas by the thousand": "{" + "," * 60_000 + "__typename }",
    "a long comment": "{ #" + "x" * 60_000 + "\n __typename }",
    "inline fragments 190 deep": _nested("... { ", "}", 190, "__typename"),
    "an empty operation": "{ }",
    "empty selections": "{ executions { } }",
    "a field again and again": "{" + "__typename " * 19 + "}",
    "a field through many fragments": _repeated("...f%", 15) + _repeated(
        "fragment f% on Query { executions(first: 2) { nodes { id status } } }", 15, "{}"
    ),
    "a long name of an operation": "query " + "q" * 60_000 + "{ __typename }",
    "a long id": '{ node(id: "' + "x" * 60_000 + '") { id } }',
    "an id of deep base64": '{ node(id: "' + "W1tb" * 10_000 + '") { id } }',
    "a cursor that is none": '{ executions(after: "' + "A" * 60_000 + '") { nodes { id } } }',
    "ids that are none": "{ nodes(ids: [" + '"x" ' * 100 + "]) { id } }",
    "ids one too many": "{ nodes(ids: [" + '"x" ' * 101 + "]) { id } }",
    "an id with a null character": '{ node(id: "\\u0000") { id } }',
    "an execution of a strange id": '{ execution(executionId: "\\u0000\\uD83D\\uDE00#:") { id } }',
    "an empty key": '{ execution(executionId: "") { id } asset(databaseId: "", assetId: "") { id } }',
    "a key longer than a key may be": '{ execution(executionId: "' + "x" * 5_000 + '") { id } }',
    "dates at the end of time": '{ executions(filter: {startedTo: "9999-12-31T23:59:59.000-23:59"}) { nodes { id } } }',
    "a page of nothing": "{ executions(first: 0) { nodes { id } pageInfo { endCursor } } }",
    "a page below zero": "{ executions(first: -1) { nodes { id } } }",
    "both ends of a page": "{ executions(first: 1, last: 1) { nodes { id } } }",
}  # fmt: skip
