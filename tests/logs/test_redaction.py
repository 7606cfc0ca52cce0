import time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graph.logs.redaction import _HINTS, REDACTED, redact, redact_json
from graph.logs.secret_names import NAMES, VAGUE_NAMES

SECRET = "c3VwZXI/c2Vj+cmV0LXZhbHVl=="
JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl-_x"
KEY_ID = "ASIAIOSFODNN7EXAMPLE"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # bearer
        ("sent Bearer abc.DEF-1~2+3/4== to it", "sent Bearer <redacted> to it"),
        ("BEARER\tabc", "BEARER\t<redacted>"),
        ('"Bearer abc"', '"Bearer <redacted>"'),
        (r"\"Bearer abc\"", r"\"Bearer <redacted>\""),
        # quoted
        ('{"TaskToken": "abc def", "x": 1}', '{"TaskToken": "<redacted>", "x": 1}'),
        ("{'SecretAccessKey': 'a\"b', 'x': 1}", "{'SecretAccessKey': '<redacted>', 'x': 1}"),
        ("{'SessionToken': b'abc'}", "{'SessionToken': b'<redacted>'}"),
        ('"externalSfnTaskToken"="abc"', '"externalSfnTaskToken"="<redacted>"'),
        ('"TaskToken" => "abc"', '"TaskToken" => "<redacted>"'),
        ('TaskToken: "abc def" end', 'TaskToken: "<redacted>" end'),
        ('"TaskToken": "first\nsecond" end', '"TaskToken": "<redacted>" end'),
        # escaped
        (r'"TaskToken": "a\"b" end', '"TaskToken": "<redacted>" end'),
        (r'"TaskToken": "ends in \\" end', '"TaskToken": "<redacted>" end'),
        (r'"{\"TaskToken\": \"a\\\"b\"} end"', r'"{\"TaskToken\": \"<redacted>\"} end"'),
        (r'"{\"TaskToken\": \"a\\\\\"} end"', r'"{\"TaskToken\": \"<redacted>\"} end"'),
        (r"\\\"TaskToken\\\": \\\"abc\\\" end", r"\\\"TaskToken\\\": \\\"<redacted>\\\" end"),
        ("\\" * 8 + '"TaskToken' + "\\" * 8 + '":"abc" end', "\\" * 8 + '"TaskToken' + "\\" * 8 + '":"<redacted>" end'),
        # wrapped
        ('"TaskToken": {"String": "abc"}', '"TaskToken": {"String": "<redacted>"}'),
        (r"\"TaskToken\":{\"S\":\"abc\"}", r"\"TaskToken\":{\"S\":\"<redacted>\"}"),
        ('"Authorization": ["Basic abc"]', '"Authorization": ["<redacted>"]'),
        (
            '"Credentials": {"AccessKeyId": "x", "SecretAccessKey": "y"}',
            '"Credentials": {"AccessKeyId": "<redacted>", "SecretAccessKey": "<redacted>"}',
        ),
        (r"\"TaskToken\": {\n  \"S\": \"abc\"}", r"\"TaskToken\": {\n  \"S\": \"<redacted>\"}"),
        # environment pairs
        ('{"Name": "TASK_TOKEN", "Value": "abc"}', '{"Name": "TASK_TOKEN", "Value": "<redacted>"}'),
        (
            '"name":"EXTERNAL_SFN_TASK_TOKEN",\n "value":"abc"',
            '"name":"EXTERNAL_SFN_TASK_TOKEN",\n "value":"<redacted>"',
        ),
        (r"\"Name\":\"task-token\",\"Value\":\"abc\"", r"\"Name\":\"task-token\",\"Value\":\"<redacted>\""),
        ("{Name=sessionToken, Value=abc, x=1}", "{Name=sessionToken, Value=<redacted>, x=1}"),
        (r"\"TASK_TOKEN\",\r\n  \"Value\": \"abc\"", r"\"TASK_TOKEN\",\r\n  \"Value\": \"<redacted>\""),
        # bare
        ("x-amz-security-token=abc&next=1", "x-amz-security-token=<redacted>&next=1"),
        ("AWS_SESSION_TOKEN=abc;next", "AWS_SESSION_TOKEN=<redacted>;next"),
        ("idJwtToken: abc, next", "idJwtToken: <redacted>, next"),
        ("Authorization: Basic abc next", "Authorization: Basic <redacted> next"),
        ("authorization: Bearer abc next", "authorization: Bearer <redacted> next"),
        (r"TaskToken=abc\"", r"TaskToken=<redacted>\""),
        # AWS identifiers and JSON Web Tokens
        (f"as {KEY_ID} in", "as <redacted> in"),
        ("role AROAJQABLZS4A3QDU576Q:session", "role <redacted>:session"),
        (f"got {JWT}, ok", "got <redacted>, ok"),
        ("eyJhbGciOiJ.eyJzdWIiOi", "<redacted>"),
        (f"eyJAKIAIOSFODNN7EXAMPLE.{JWT}", "<redacted>"),
    ],
)
def test_a_credential_is_replaced_and_all_around_it_kept(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"TaskToken": "abc def', '"TaskToken": "<redacted>'),
        (r'"{\"TaskToken\": \"abc def', r'"{\"TaskToken\": \"<redacted>'),
        (r'{"cause": "{\"TaskToken\": \"abc...", "x": 1}', r'{"cause": "{\"TaskToken\": \"<redacted>", "x": 1}'),
        ('"TaskToken": "abc\\', '"TaskToken": "<redacted>'),
        ('"TaskToken": "abc...\nSessionToken="def"', '"TaskToken": "<redacted>"<redacted>"'),
        ('"TaskToken": "abc...\n"SessionToken": "def"', '"TaskToken": "<redacted>"SessionToken": "<redacted>"'),
        ("TaskToken: SessionToken = abc", "TaskToken: <redacted> = <redacted>"),
        ("bearer TaskToken=abc", "bearer <redacted>"),
        (r'TaskToken: \"cut TaskToken: \\"abc\\" end', r'TaskToken: \"<redacted>"<redacted>\\" end'),
    ],
)
def test_a_secret_that_was_cut_hides_nothing_after_it(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The access token was refused for want of credentials.",
        '{"TaskToken": "", "Credentials": {}, "taskTokens": "plural", "Authorization": []}',
        "Authorization:",
        "the bearer",
        "AKIA is a prefix, AKIAIOSFODNN7EXAMPL is too short, akiaiosfodnn7example is no identifier",
        "eyJhbGciOiJSUzI1NiJ9 and eyJ.dot and a.eyJ",
        "token=abc key=def accessKey: ghi",
    ],
)
def test_a_text_without_a_credential_comes_back_as_the_same_object(text: str) -> None:
    assert redact(text) is text


def test_letters_that_change_length_in_lower_case_do_not_shift_the_cut() -> None:
    assert redact("\u0130\u0130 TaskToken=abc, \u0130") == "\u0130\u0130 TaskToken=<redacted>, \u0130"


def test_every_sensitive_name_holds_a_hint() -> None:
    assert all(
        _HINTS.are_in(name.replace("-", joint) + "=") for name in (*NAMES, *VAGUE_NAMES) for joint in ("", "_", "-")
    )


# Parts from which nasty texts are made: each means something to at least one rule.
FRAGMENTS = st.sampled_from(
    [
        *("TaskToken", "SESSION_TOKEN", "credentials", "Authorization", "x-amz-security-token", "bearer", "Bearer"),
        *("value", "eyJ", ".eyJ", "AKIA", "abc", "b"),
        *"\"'\\:=,;& \n{}[]().",
        *('\\"', "\\'", '\\\\\\"', "=>", "bearer ", "Basic ", '{"String":', '"Name": "', '", "Value": "'),
        *(KEY_ID, JWT, REDACTED),
    ]
)
NASTY = st.lists(st.one_of(FRAGMENTS, st.text(max_size=3)), max_size=40).map("".join)


@given(NASTY)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(
    st.lists(st.sampled_from(["tokens", "key", "name", "value", "access", "secretary", "passwordless"]), max_size=20),
    st.text(":=,\"'\\ {}\n"),
)
@example(["value", "tokens", "key", "tokens"], ":")
@example(["value", "access", "name", "secretary"], "=")
def test_words_without_a_sensitive_name_are_never_touched(words: list[str], glue: str) -> None:
    text = f" {glue} ".join(words)
    assert redact(text) is text


@st.composite
def spelled_names(draw: st.DrawFn) -> str:
    words = draw(st.sampled_from([name.split("-") for name in NAMES]))
    words = draw(st.sampled_from([[], ["external", "sfn"], ["my"]])) + words
    spelling = draw(st.sampled_from(["camel", "Pascal", "snake", "UPPER_SNAKE", "kebab", "Train"]))
    match spelling:
        case "camel":
            return str(words[0] + "".join(word.capitalize() for word in words[1:]))
        case "Pascal":
            return "".join(word.capitalize() for word in words)
        case "snake":
            return "_".join(words)
        case "UPPER_SNAKE":
            return "_".join(words).upper()
        case "kebab":
            return "-".join(words)
        case _:
            return "-".join(word.capitalize() for word in words)


@st.composite
def planted(draw: st.DrawFn) -> str:
    """A text of one of the listed shapes that holds SECRET, JWT or KEY_ID."""
    name = draw(spelled_names())
    separator = draw(st.sampled_from([":", "=", ": ", " = ", " => ", " :\n  ", ":\\n  "]))
    quote = draw(st.sampled_from("\"'"))
    depth = draw(st.integers(0, 8))
    mark = "\\" * depth + quote
    inner = "\\" * (2 * depth + 1) + quote
    filling = draw(st.sampled_from(["", "two words ", "two\nlines ", "a,b;c&d ", f"an {inner}inner{inner} quote "]))
    value = f"{mark}{filling}{SECRET}{mark}"
    wrapper = draw(st.sampled_from(["", "{" + f"{mark}String{mark}:", "{ " + f"{mark}S{mark} : ", "["]))
    shapes = [
        f"{mark}{name}{mark}{separator}{wrapper}{value}",
        f"{name}{separator}{wrapper}{value}",
        f"{{{mark}Name{mark}: {mark}{name}{mark}, {mark}Value{mark}{separator}{value}}}",
        f"{mark}name{mark}:{mark}{name}{mark},{mark}value{mark}:{value}",
        f"{name}{separator}{SECRET}",
        f"{name}{separator}Basic {SECRET}",
        f"Bearer {SECRET}",
        f"bearer   {SECRET}",
        JWT,
        KEY_ID,
    ]
    return draw(st.sampled_from(shapes))


# What may come right before a credential without changing what it is.
BEFORE = st.one_of(st.just(""), st.text(max_size=10).map(lambda text: text + " "), NASTY.map(lambda text: text + "\n"))


@given(BEFORE, planted(), st.one_of(st.just(""), st.text(max_size=10), NASTY).map(lambda text: " " + text))
def test_no_planted_secret_survives(before: str, credential: str, after: str) -> None:
    text = redact(before.replace(JWT, "").replace(KEY_ID, "") + credential + after.replace(JWT, "").replace(KEY_ID, ""))
    assert SECRET not in text
    assert JWT not in text
    assert KEY_ID not in text


@given(planted(), st.data())
def test_a_planted_secret_cut_anywhere_leaves_no_beginning_of_it(credential: str, data: st.DataObject) -> None:
    start = credential.find(SECRET)
    if start < 0:
        return
    cut = data.draw(st.integers(start + 4, start + len(SECRET)))
    assert SECRET[:4] not in redact(credential[:cut])


HOSTILE = [
    "\\",
    '"',
    "'\"",
    '\\"',
    '\\\\\\"',
    " ",
    "A",
    "AKIA",
    "AKIA" + "B" * 15 + " ",
    KEY_ID + " ",
    "bearer ",
    "bearer  \n",
    "bearer a ",
    "bearer= ",
    'bearer:"',
    "eyJ",
    "eyJ.",
    "eyJ.eyJ ",
    ".eyJ",
    "tasktoken",
    "tasktoken ",
    "tasktoken\\\\\\",
    "tasktoken\\n",
    "\\n",
    "tasktoken=",
    "tasktoken=a ",
    'tasktoken:"',
    "tasktoken:'\"",
    'tasktoken:\\\\\\\\"',
    "tasktoken:{",
    '"tasktoken":{"tasktoken":',
    '{"String":',
    '\\"tasktoken\\":\\"x\\",',
    '"name":"TASK_TOKEN","value":"x",',
    "TASK_TOKEN, value, ",
    "access_key_",
    "authorization: basic ",
    "\u0130token=",
]


@pytest.mark.parametrize("opening", ["", 'tasktoken="', "tasktoken=\\\\\\'", "tasktoken="])
@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_no_faster_than_the_text(opening: str, unit: str) -> None:
    def seconds(size: int) -> float:
        text = opening + unit * (size // len(unit))
        return min(cpu_seconds(text) for _ in range(3))

    small, large = 20_000, 160_000
    # Eight times the text: linear is 8, quadratic is 64. The constant absorbs the grain of the clock.
    assert seconds(large) < 20 * seconds(small) + 0.002


def test_a_megabyte_of_all_of_it_takes_a_fraction_of_a_second() -> None:
    text = "".join(one + other for one in HOSTILE for other in HOSTILE)
    assert cpu_seconds(text * (1_000_000 // len(text))) < 0.5


def cpu_seconds(text: str) -> float:
    begin = time.process_time()
    redact(text)
    return time.process_time() - begin


def test_json_is_redacted_in_its_strings_and_below_its_sensitive_keys() -> None:
    value: dict[str, Any] = {
        "message": f"Bearer {SECRET}",
        "TASK_TOKEN": SECRET,
        "accessKeyId": 5,
        "sessionToken": Decimal("1.5"),
        "Credentials": {"Expiration": "soon", "nested": [SECRET, 1, None]},
        "list": [f"TaskToken={SECRET}", {"externalTaskToken": SECRET}],
        KEY_ID: "used",
        "count": 3,
        "ok": True,
    }
    assert redact_json(value) == {
        "message": "Bearer <redacted>",
        "TASK_TOKEN": REDACTED,
        "accessKeyId": REDACTED,
        "sessionToken": REDACTED,
        "Credentials": {"Expiration": REDACTED, "nested": [REDACTED, REDACTED, None]},
        "list": ["TaskToken=<redacted>", {"externalTaskToken": REDACTED}],
        REDACTED: "used",
        "count": 3,
        "ok": True,
    }


def test_json_that_is_redacted_leaves_the_given_value_as_it_was() -> None:
    value = {"a": [{"TaskToken": SECRET}]}
    redact_json(value)
    assert value == {"a": [{"TaskToken": SECRET}]}


def test_a_null_or_boolean_below_a_sensitive_key_stays() -> None:
    assert redact_json({"TaskToken": None, "Credentials": False}) == {"TaskToken": None, "Credentials": False}


@pytest.mark.parametrize("name", ["Name", "name", "Key"])
def test_the_value_beside_a_sensitive_name_is_replaced_in_either_order(name: str) -> None:
    assert redact_json({"Value": SECRET, name: "TASK_TOKEN"}) == {"Value": REDACTED, name: "TASK_TOKEN"}
    assert redact_json({name: "SIZE", "Value": "7"}) == {name: "SIZE", "Value": "7"}


def test_a_plain_value_is_json_too() -> None:
    assert redact_json(f"TaskToken={SECRET}") == "TaskToken=<redacted>"
    assert redact_json(None) is None


def test_depth_of_json_is_no_danger() -> None:
    value: Any = SECRET
    for _ in range(50_000):
        value = {"a": [value]}
    redacted = redact_json({"TaskToken": value})["TaskToken"]
    while isinstance(redacted, dict):
        redacted = redacted["a"][0]
    assert redacted == REDACTED


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), NASTY),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(NASTY, spelled_names()), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_redacting_json_twice_changes_nothing_more(value: Any) -> None:
    once = redact_json(value)
    assert redact_json(once) == once
