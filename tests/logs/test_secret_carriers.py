"""Each kind of secret in each form in which a log can hold it, and ordinary text that looks a little like one."""

import base64
import json
import random
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus, unquote
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.logs.redaction import REDACTED, redact, redact_json, redact_lines

NAMES = (
    "taskToken",
    "TASK_TOKEN",
    "externalSfnTaskToken",
    "SecretAccessKey",
    "aws_secret_access_key",
    "secret_key",
    "secretKey",
    "password",
    "DB_PASSWORD",
    "api_key",
    "x-api-key",
    "client_secret",
    "access_token",
    "X-Amz-Security-Token",
    "X-Amz-Signature",
    "privateKey",
    "token",
    "app.secret",
)

Carrier = Callable[[str, str], str]


def as_json(name: str, value: str) -> str:
    return json.dumps({"a": 1, name: value, "z": [2]})


def as_pair(name: str, value: str) -> str:
    return json.dumps({"environment": [{"name": "SIZE", "value": "7"}, {"name": name, "value": value}]})


def as_reversed_pair(name: str, value: str) -> str:
    return json.dumps({"environment": [{"value": value, "name": name}, {"value": "7", "name": "SIZE"}]})


CARRIERS: dict[str, Carrier] = {
    "JSON": as_json,
    "JSON, compact": lambda name, value: json.dumps({name: value, "z": 1}, separators=(",", ":")),
    "JSON, indented": lambda name, value: json.dumps({"a": {name: value}}, indent=2),
    "JSON in JSON": lambda name, value: json.dumps({"input": as_json(name, value)}),
    "JSON in JSON in JSON": lambda name, value: json.dumps([json.dumps({"input": as_json(name, value)})]),
    "indented JSON in JSON": lambda name, value: json.dumps(json.dumps({name: value, "z": 1}, indent=2)),
    "JSON for HTML": lambda name, value: (
        json.dumps({"u": f"?{name}={value}&z=1"})
        .replace("&", r"\u0026")
        .replace("=", r"\u003d")
        .replace("<", r"\u003c")
    ),
    "pair": as_pair,
    "pair in JSON": lambda name, value: json.dumps(as_pair(name, value)),
    "pair with more": lambda name, value: json.dumps({"name": name, "type": "String", "value": value}),
    "pair of parameters": lambda name, value: json.dumps({"ParameterKey": name, "ParameterValue": value}),
    "pair in Java": lambda name, value: f"[{{Name={name}, Value={value}}}]",
    "pair in words": lambda name, value: f"Name: {name}, Value: {value}",
    "pair in YAML": lambda name, value: f"env:\n  - name: {name}\n    value: {value}\n  - name: SIZE\n    value: 7\n",
    "pair in XML": lambda name, value: f"<Name>{name}</Name><Value>{escape(value)}</Value>",
    "pair of attributes": lambda name, value: f"<add key={quoteattr(name)} value={quoteattr(value)}/>",
    "reversed pair": as_reversed_pair,
    "reversed pair in JSON": lambda name, value: json.dumps(as_reversed_pair(name, value)),
    "reversed pair with more": lambda name, value: json.dumps({"value": value, "type": "String", "name": name}),
    "reversed pair in words": lambda name, value: f"Value: {value}, Name: {name}",
    "reversed pair in YAML": lambda name, value: f"env:\n  - value: {value}\n    name: {name}\n  - value: 7\n",
    "reversed pair in XML": lambda name, value: f"<Value>{escape(value)}</Value><Name>{name}</Name>",
    "YAML": lambda name, value: f"a: 1\n{name}: {value}\nz: 2\n",
    "YAML, quoted": lambda name, value: f"{name}: '{value}'\nz: 2\n",
    "YAML, literal block": lambda name, value: f"{name}: |\n  {value}\nz: 2\n",
    "YAML, folded block": lambda name, value: f"a:\n  {name}: >-\n    {value}\n  z: 2\n",
    "YAML, list": lambda name, value: f"{name}:\n  - {value}\n",
    "XML": lambda name, value: f"<a><{name}>{escape(value)}</{name}><z>1</z></a>",
    "XML with attributes": lambda name, value: f'<{name} type="string">{escape(value)}</{name}>',
    "XML with CDATA": lambda name, value: f"<{name}><![CDATA[{value}]]></{name}>",
    "XML, indented": lambda name, value: f"<{name}>\n  {escape(value)}\n</{name}>",
    "XML entry": lambda name, value: f"<entry key={quoteattr(name)}>{escape(value)}</entry>",
    "XML in XML": lambda name, value: f"<m>{escape(f'<{name}>{escape(value)}</{name}>')}</m>",
    "XML for HTML": lambda name, value: (
        json.dumps(f"<{name}>{escape(value)}</{name}>").replace("<", r"\u003c").replace(">", r"\u003e")
    ),
    "JSON in XML": lambda name, value: f"<m>{escape(as_json(name, value), {chr(34): '&quot;'})}</m>",
    "query": lambda name, value: f"GET https://h/p?a=1&{name}={quote(value, safe='')}&z=2 HTTP/1.1",
    "form": lambda name, value: f"body: a=1&{quote_plus(name)}={quote_plus(value)}",
    "URL-encoded query": lambda name, value: (
        "?next=" + quote(f"https://h/p?{name}={quote(value, safe='')}&z=2", safe="")
    ),
    "URL-encoded JSON": lambda name, value: f"?state={quote(as_json(name, value), safe='')}&z=1",
    "URL-encoded JSON, plus": lambda name, value: f"?state={quote_plus(as_json(name, value))}&z=1",
    "URL-encoded twice": lambda name, value: quote(quote(as_json(name, value), safe=""), safe=""),
    "option": lambda name, value: f"python main.py --{name} {value} --input s3://b/k",
    "option, equals": lambda name, value: f"python main.py --{name}={value} --input s3://b/k",
    "option, quoted": lambda name, value: f"+ main --{name} '{value}'",
    "option, single dash": lambda name, value: f"main -{name} {value}",
    "option on two lines": lambda name, value: f"main \\\n  --{name} \\\n  {value}",
    "option in a list": lambda name, value: json.dumps({"Command": ["main", f"--{name}", value, "-v"]}),
    "option in an indented list": lambda name, value: json.dumps(["main", f"--{name}", value], indent=1),
    "option in a list in JSON": lambda name, value: json.dumps({"c": json.dumps(["main", f"--{name}", value])}),
    "option in a list of Python": lambda name, value: f"argv: {['main', f'--{name}', value]!r}",
    "export": lambda name, value: f"+ export {name}={value}",
    "export, quoted": lambda name, value: f'export {name}="{value}"',
    "env of docker": lambda name, value: f"docker run -e {name}={value} image",
    "dict of Python": lambda name, value: f"got { ({'a': 1, name: value, 'z': None})!r}",
    "bytes of Python": lambda name, value: f"headers: { ({name: value.encode()})!r}",
    "tuples of Python": lambda name, value: f"headers: {[('a', 'b'), (name, value)]!r}",
    "arguments": lambda name, value: f"Client({name}={value!r}, region='x')",
    "Ruby": lambda name, value: f'{{"{name}"=>"{value}"}}',
    "Java": lambda name, value: f"{{a=1, {name}={value}, z=2}}",
    "log line": lambda name, value: f"2026-06-01T08:00:00Z INFO [main] {name}={value} done",
    "log line, colon": lambda name, value: f"2026-06-01T08:00:00Z INFO [main] {name}: {value} done",
    "header": lambda name, value: f"> {name}: {value}\r\n> Accept: */*\r\n",
    "connection string": lambda name, value: f"Server=h;User Id=u;{name}={value};Encrypt=yes",
    "sentence": lambda name, value: f"calling back with {name} {value} now",
    "wrapped in a call": lambda name, value: f"Settings({name}=SecretStr('{value}'), debug=True)",
    "wrapped in two calls": lambda name, value: f'{name} = SecretStr(value=str("{value}"))',
    "raw": lambda name, value: f'{name} = r"{value}"',
    "triple quotes": lambda name, value: f'{name} = """{value}"""',
    "annotated": lambda name, value: f'{name}: str = "{value}"',
    "annotated, generic": lambda name, value: f"{name}: Optional[str] = '{value}'",
    "declared in Go": lambda name, value: f'{name} string = "{value}"',
    "assigned in Go": lambda name, value: f"{name} := `{value}`",
    "tag of YAML": lambda name, value: f"{name}: !!str {value}\n",
    "anchor of YAML": lambda name, value: f"{name}: &main {value}\n",
    "CSV": lambda name, value: '"' + as_json(name, value).replace('"', '""') + '"',
    "arrow": lambda name, value: f"set {name} -> {value}",
    "fat arrow": lambda name, value: f"set {name} => {value}",
    "arrow in HTML": lambda name, value: f"set {name} -&gt; {value}",
    "arrow of Unicode": lambda name, value: f"set {name} \u2192 {value}",
    "row of a table": lambda name, value: f"| NAME | VALUE |\n|---|---|\n| {name} | {value} |\n| size | 7 |",
    "row without borders": lambda name, value: f" {name} | {value}\n size | 7",
    "path of a state machine": lambda name, value: f"{name}.$={value}",
    "numbered": lambda name, value: f"{name}_2={value}",
    "indexed": lambda name, value: f"{name}[0]={value}",
    "stage": lambda name, value: f"{name}_PROD={value}",
    "colours": lambda name, value: f"\x1b[1;31m{name}\x1b[0m\x1b[2m=\x1b[0m\x1b[32m{value}\x1b[0m",
    "colours in JSON": lambda name, value: json.dumps(f"\x1b[31m{name}\x1b[0m=\x1b[32m{value}\x1b[0m"),
    "NUL before the sign": lambda name, value: f"{name}\0={value}",
    "letters without width": lambda name, value: f"{name[:3]}\u200b{name[3:]}\u2060=\ufeff{value}",
    "letters without width in JSON": lambda name, value: json.dumps(f"{name[:3]}\u200b{name[3:]}={value}"),
}


def random_secret(seed: int, length: int, alphabet: str) -> str:
    """A secret of upper and lower case, digits and the given signs; the signs stand inside, as they do in base64."""
    source = random.Random(seed)  # noqa: S311 (the same secrets in every run)
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789" + alphabet
    return "Q7x" + "".join(source.choice(letters) for _ in range(length)) + "w9K"


SECRETS = st.builds(
    random_secret, st.integers(0, 10**9), st.integers(14, 60), st.sampled_from(["", "+/", "-_", "+/-_.~"])
)


def remains(secret: str, text: str) -> bool:
    """Whether a fifth of a secret or more is in a text, in any encoding of its signs."""
    size = max(6, len(secret) // 5)
    decoded = (text, unquote(text), unquote(unquote(text)))
    return any(secret[at : at + size] in one for one in decoded for at in range(len(secret) - size + 1))


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("name", NAMES)
def test_a_named_secret_is_cut_out_of_every_form(name: str, carrier: str) -> None:
    for secret in ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "Q7xAQCEAAAAKgAAAAMz0kw9K==", "hunter2-Pass.word99"):
        shown = redact(CARRIERS[carrier](name, secret))
        assert not remains(secret, shown), shown
        assert REDACTED in shown


@given(st.sampled_from(NAMES), st.sampled_from(sorted(CARRIERS)), SECRETS)
def test_no_named_secret_survives(name: str, carrier: str, secret: str) -> None:
    assert not remains(secret, redact(CARRIERS[carrier](name, secret)))


@given(st.sampled_from(sorted(CARRIERS)), st.sampled_from(NAMES), SECRETS, st.integers(0, 9000))
def test_where_in_a_long_text_a_secret_stands_does_not_matter(carrier: str, name: str, secret: str, ahead: int) -> None:
    filling = "converted part 7 of 12\n"
    text = (filling * 400)[:ahead] + "\n" + CARRIERS[carrier](name, secret) + "\n" + filling * 400
    assert not remains(secret, redact(text))


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"Command": ["main", "--task-token", "abc", "-v"]}, {"Command": ["main", "--task-token", REDACTED, "-v"]}),
        ({"Command": ["main", "--password", "--dry-run"]}, {"Command": ["main", "--password", "--dry-run"]}),
        ({"value": "abc", "name": "password"}, {"value": REDACTED, "name": "password"}),
        (
            {"ParameterKey": "DbPassword", "ParameterValue": "abc"},
            {"ParameterKey": "DbPassword", "ParameterValue": REDACTED},
        ),
        ({"secretKey": "abc", "token": "AQCabc123"}, {"secretKey": REDACTED, "token": REDACTED}),
        ({"token": 5, "tokens": "12345678", "token_count": 7}, {"token": 5, "tokens": "12345678", "token_count": 7}),
        ({"name": "SIZE", "value": "7"}, {"name": "SIZE", "value": "7"}),
    ],
)
def test_json_is_redacted_by_its_structure(document: object, expected: object) -> None:
    assert redact_json(document) == expected


BODY = "\n".join(random_secret(seed, 58, "+/") for seed in range(6))
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----"

# Built where a scanner of sources would take the whole for a token.
FORMS = {
    "AWS key id": "AKIAIOSFODNN7EXAMPLE",
    "AWS session key id": "ASIAIOSFODNN7EXAMPLE",
    "JWT": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl-_x",
    "GitHub": "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "GitHub server": "ghs_0123456789abcdefghijABCDEFGHIJ012345",
    "GitHub fine-grained": "github_pat_11ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz",
    "GitLab": "glpat-abcdefghij0123456789",
    "GitLab runner": "glrt-abcdefghij_0123456789",
    "Slack bot": "xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx",
    "Slack app": "xapp-1-A0123456789-1234567890123-abcdef0123456789",
    "Stripe": "sk_live_0123456789abcdefghijklmn",
    "Stripe restricted": "rk_test_0123456789abcdefghijklmn",
    "Google": "AIzaSyA0123456789abcdefghijklmnopqrstuvw",
    "Google OAuth": "ya29.a0AfH6SMBabcdefghijklmnop",
    "VAMS": "vams_q3J8sKd0aPz_Xc5-bVnM2LwErTyUiOpAsDfGhJkLzX4",
    "VAMS, lower case": "vams_abcdefghijklmnopqrstuvwxyz0123",
    "npm": "npm_0123456789abcdefghijABCDEFGHIJ012345",
    "JWE": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4.XFBo",
    "JWS, detached": "eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2V9..A5dxf2s96_n5FLueVuW1Z_vh161FwXZC4YLPff6dmDY",
    "Anthropic": "sk-ant-" + "api03-Zx9cVb7NmQw3ErTy5UiOp1AsDfGh",
    "OpenAI": "sk-proj-" + "Zx9cVb7NmQw3ErTy5UiOp1AsDfGhJkLz",
    "Hugging Face": "hf_" + "Zx9cVb7NmQw3ErTy5UiOp1AsDfGhJkLzXc",
    "Vault": "hvs." + "CAESIZx9cVb7NmQw3ErTy5UiOp1AsDf",
    "Docker": "dckr_pat_" + "Zx9cVb7NmQw3ErTy5UiOp1AsDfG",
    "Shopify": "shpat_" + "0123456789abcdef0123456789abcdef",
    "DigitalOcean": "dop_v1_" + "0123456789abcdef" * 4,
    "Tailscale": "tskey-" + "auth-kZx9cVb7Nm1CNTRL-Qw3ErTy5UiOp1AsDf",
    "Databricks": "dapi" + "0123456789abcdef0123456789abcdef",
    "Telegram": "123456789:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
    "Atlassian": "ATATT3" + "xFfGF0Zx9cVb7NmQw3ErTy5UiOp1AsDfGhJkLzXc",
    "Postman": "PMAK-" + "0123456789abcdef01234567-0123456789abcdef0123456789abcdef01",
    "Supabase": "sbp_" + "0123456789abcdef0123456789abcdef01234567",
    "SendGrid": "SG." + "Zx9cVb7NmQw3ErTy5UiOp1.AsDfGhJkLzXcZx9cVb7NmQw3ErTy5",
    "age": "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE",
    "JSON in base64": base64.b64encode(b'{"user": "bob", "password": "hunter2-Pass.word99", "n": 1}').decode(),
}
WRAPPINGS: dict[str, Callable[[str], str]] = {
    "bare": lambda text: text,
    "sentence": lambda text: f"pushed with {text}, then left",
    "JSON": lambda text: json.dumps({"k": text}),
    "JSON in JSON": lambda text: json.dumps(json.dumps({"k": text})),
    "Python": lambda text: repr({"k": text}),
    "XML": lambda text: f"<k>{escape(text)}</k>",
    "YAML": lambda text: f"k: {text}\n",
    "query": lambda text: f"https://h/p?k={quote(text, safe='')}&z=1",
    "URL-encoded JSON": lambda text: quote(json.dumps({"k": text}), safe=""),
    "export": lambda text: f"export K='{text}'",
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("form", FORMS)
def test_what_its_own_form_gives_away_needs_no_name(form: str, wrapping: str) -> None:
    shown = redact(WRAPPINGS[wrapping](FORMS[form]))
    assert not remains(FORMS[form], shown), shown


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize(
    "kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
@pytest.mark.parametrize("is_cut", [False, True])
def test_a_private_key_is_cut_out_whole(kind: str, wrapping: str, is_cut: bool) -> None:
    key = f"-----BEGIN {kind}-----\n{BODY}" + ("" if is_cut else f"\n-----END {kind}-----")
    shown = redact(WRAPPINGS[wrapping](key) + " and more")
    assert not any(remains(line, shown) for line in BODY.split()), shown


@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("wrapping", ["bare", "JSON", "JSON in JSON"])
def test_a_key_of_putty_is_cut_out(wrapping: str, *, end: bool) -> None:
    code = "Private-MAC: 0123456789abcdef0123456789abcdef01234567\n"
    key = f"PuTTY-User-Key-File-2: ssh-rsa\nComment: mine\nPrivate-Lines: 6\n{BODY}\n{code if end else ''}"
    shown = redact(WRAPPINGS[wrapping](key))
    assert not any(remains(line, shown) for line in [*BODY.split(), code[13:]]), shown
    lines = "\n".join(redact_lines([("a", line) for line in key.split("\n")]))
    assert not any(remains(line, lines) for line in [*BODY.split(), code[13:]]), lines
    assert "Comment: mine" in lines


@pytest.mark.parametrize("at", [15, 25, 40, 60])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n    ", "\\n"])
def test_a_web_token_that_goes_on_on_the_next_line_is_cut_out(at: int, end: str) -> None:
    token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJib2IiLCJyIjoiMTIzNDU2NyJ9.c2lnbmF0dXJlMDEyMzQ1Njc4OUFCQ0RFRg"
    shown = redact(f"sent {token[:at]}{end}{token[at:]}\ndone at 2026-06-01T08:00:00Z")
    assert not remains(token[21:56], shown), shown
    assert not remains(token[57:], shown), shown
    assert shown.endswith("done at 2026-06-01T08:00:00Z")


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASS={}",
        "pass={}",
        "rootPass: {}",
        "PGPASSWORD={} psql",
        "mysql --pass {}",
        "CREATE USER 'a'@'%' IDENTIFIED BY '{}'",
        "alter user a identified with mysql_native_password by '{}';",
        "CREATE ROLE a LOGIN PASSWORD '{}'",
        "curl -u bob:{} https://h/",
        'curl -u "bob:{}" https://h/',
        "curl --user bob:{} --proxy-user=eve:{} https://h/",
        "['curl', '-u', 'bob:{}', 'https://h/']",
        'Authorization: Digest username="u", realm="r", nonce="{}", uri="/", response="{}"',
        "Authorization: AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=host;range, Signature={}",
        "https://{}@github.com/org/repo.git",
        "?u=https%3A%2F%2F{}%40github.com%2Forg",
    ],
)
def test_what_a_command_or_statement_takes_is_cut_out(text: str) -> None:
    secret = "hunter2-Pass.word99"
    shown = redact(text.replace("{}", secret))
    assert secret not in shown


def test_the_code_of_digest_needs_no_name_before_it() -> None:
    code = "6629fae49393a05397450978507c4ef1"
    assert (
        redact(f'retried with nc=1, response="{code}", qop=auth')
        == 'retried with nc=1, response="<redacted>", qop=auth'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a \x1b[31mred\x1b[0m token\x1b[0m=\x1b[1mAQC9xyz0\x1b[0m b", None),
        ("pass\u200bword=hunter2 b", "pass\u200bword=<redacted> b"),
        ("\u200bpassword=hun\u200bter2\u200b b", "\u200bpassword=<redacted>\u200b b"),
    ],
)
def test_what_is_invisible_stays_around_a_secret(text: str, expected: str | None) -> None:
    assert redact(text) == (expected or text.replace("AQC9xyz0", REDACTED))


def test_json_is_redacted_by_names_that_hold_something_invisible() -> None:
    assert redact_json({"pass\u200bword": "abc", "TaskToken.$": "$$.Task.Token"}) == {
        "pass\u200bword": REDACTED,
        "TaskToken.$": "$$.Task.Token",
    }
    assert redact_json({"PWD": "/usr/src/app", "DB_PWD": "/abc"}) == {"PWD": "/usr/src/app", "DB_PWD": REDACTED}
    assert redact_json(["curl", "-u", "bob:abc"]) == ["curl", "-u", REDACTED]


def test_a_certificate_and_a_public_key_stay() -> None:
    for kind in ("CERTIFICATE", "PUBLIC KEY"):
        text = f"-----BEGIN {kind}-----\n{BODY}\n-----END {kind}-----"
        assert redact(text) is text


def test_a_private_key_on_many_lines_of_a_stream_is_cut_out() -> None:
    lines = [("a", line) for line in ["begun", *PEM.split("\n"), "over"]]
    beside = [("b", f"converted part {number}") for number in range(len(lines))]
    mixed = [line for pair in zip(lines, beside, strict=True) for line in pair]
    shown = redact_lines(mixed)
    assert [text for (stream, _), text in zip(mixed, shown, strict=True) if stream == "b"] == [
        text for _, text in beside
    ]
    of_key = [text for (stream, _), text in zip(mixed, shown, strict=True) if stream == "a"]
    assert (of_key[0], of_key[-1]) == ("begun", "over")
    assert set(of_key[2:-2]) == {REDACTED}


@pytest.mark.parametrize("first", range(8))
@pytest.mark.parametrize("last", range(8))
def test_a_page_that_begins_or_ends_inside_a_private_key_shows_none_of_it(first: int, last: int) -> None:
    page = PEM.split("\n")[first:last]
    shown = "\n".join(redact_lines([("a", line) for line in page]))
    assert not any(remains(line, shown) for line in BODY.split())


def test_what_a_logger_writes_between_the_lines_of_a_key_stays() -> None:
    first, *body, last = PEM.split("\n")
    lines = [first, *(f"08:00:00 INFO {line}" for line in body), "08:00:01 INFO read the model", last]
    shown = redact_lines([("a", line) for line in lines])
    assert shown[1:-1] == [*["08:00:00 INFO <redacted>"] * len(body), "08:00:01 INFO read the model"]


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize(
    "before",
    [
        "postgres://app:",
        "postgresql+psycopg://app:",
        "mongodb+srv://app.user:",
        "redis://:",
        "https://user:",
        "amqps://user%40corp:",
        "jdbc:postgresql://app:",
        "jdbc:oracle:thin:scott/",
    ],
)
def test_a_password_in_a_url_is_cut_out(before: str, wrapping: str) -> None:
    is_url = "://" in before
    if not is_url and wrapping in ("query", "URL-encoded JSON"):  # nobody writes those
        return
    for password in ("hunter2pass", "12345678", "p%40ss%2Fw0rd-x", "Zx9!$~.pass"):
        shown = redact(WRAPPINGS[wrapping](f"{before}{password}@db.internal:5432/app"))
        assert not remains(password, shown), shown
        assert "db.internal" in shown


@pytest.mark.parametrize(
    "text",
    [
        "Server=h;Database=d;User Id=u;Password=hunter2pass;Encrypt=yes",
        "Server=h;Uid=u;Pwd=hunter2pass;",
        "Server=h;Password=hunter2pass and more words;Encrypt=yes",
        "Driver={ODBC};PWD={hunter2pass};",
        "jdbc:sqlserver://h:1433;user=u;password=hunter2pass;",
        "jdbc:mysql://h/d?user=u&password=hunter2pass&ssl=true",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=hunter2pass0123==;EndpointSuffix=x",
        "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=hunter2pass0123==",
        "host=h user=u password=hunter2pass dbname=d",
    ],
)
def test_a_password_in_a_connection_string_is_cut_out(text: str) -> None:
    shown = redact(text)
    assert "hunter2pass" not in shown
    assert "more words" not in shown


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize(
    "query",
    [
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature={}&X-Amz-SignedHeaders=host",
        "X-Amz-Security-Token={}&X-Amz-Expires=900",
        "AWSAccessKeyId=x&Expires=1&Signature={}",
        "Expires=1&Signature={}&Key-Pair-Id=K2",
        "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature={}",
        "sv=2022-11-02&se=2026&sig={}",
        "sig={}&sv=2022-11-02",
    ],
)
def test_the_signature_of_a_presigned_url_is_cut_out(query: str, wrapping: str) -> None:
    secret = "fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc9"
    shown = redact(WRAPPINGS[wrapping]("https://h/key?" + query.format(secret)))
    assert not remains(secret, shown), shown


PICTURE = base64.b64encode(random.Random(1).randbytes(6000)).decode()  # noqa: S311


@pytest.mark.parametrize(
    "text",
    [
        "used 1024 tokens of 4096; tokens: 5, max_tokens=512, token_count: 12, prompt_tokens: 1234567",
        '{"tokens": 512, "token": 7, "total_tokens": 123456789, "nextTokenCount": 3}',
        "token: 5",
        "The secretary of the board: Ann; secretary: Bob, secretaries=2",
        '{"passwordless": true, "secretary": "Bob Example", "tokenizer": "cl100k_base", "tokenized": "yes"}',
        "passwordless: enabled, passwords: 3, secrets: none",
        "read secrets.tf, tokens.json, token_utils.py, password-policy.md and private_keys_howto.txt",
        "s3://bucket/secrets/tokens/pump-7.glb https://example.com:8443/password/reset?next=/home http://user@host/",
        "arn:aws:secretsmanager:us-west-2:123456789012:secret:prod/db-password-AbCdEf",
        "secret: arn:aws:secretsmanager:us-west-2:123456789012:secret:prod/db-AbCdEf",
        '{"password": "arn:aws:ssm:us-west-2:123456789012:parameter/db"}',
        "arn:aws:states:us-west-2:123456789012:execution:vams-prod:0f1e2d3c-aaaa-bbbb-cccc-0123456789ab",
        '{"password": null, "secret": false, "token": true}',
        f'{{"picture": "data:image/png;base64,{PICTURE}"}}',
        PICTURE,
        "\n".join(PICTURE[at : at + 76] for at in range(0, 6000, 76)),
        '["username", "password", "email"] are the columns',
        "the password was changed; the token has expired; the secret is out; with token expired",
        "Invalid token: unexpected end, SyntaxError: Unexpected token: punc",
        "signature: valid, the signature of the method, Signature verified",
        "Enter <username> and <token> in the form",
        "vams_workflow_executions vams_graph_operation_dynamodb_calls_total",
        "PWD=/usr/src/app OLDPWD=/root HOME=/root; PWD=~/src",
        "the bearer of news, a bearer token is sent, WWW-Authenticate: Bearer realm",
        "Authorization: required. authorization: none, Authorization: missing",
        '{"TaskToken.$": "$$.Task.Token", "Payload.$": "$"}',
        "docker run --user 1000:1000 -u 33:33 image",
        "12 passed, pass=12, pass: yes, bypass=enabled-by-default, compass: north-east, a pass over the rows",
        "the caller was identified by the gateway; task-proj-alpha-converting-models-of-plants",
        "\x1b[32mconverted\x1b[0m pump-7.step \x1b[2m(4,096 faces)\x1b[0m",
        "PWD is set, api keys: 3, the access key was rotated, private key file found",
        "time 08:00:00 http://[::1]:8080/ git@github.com:org/repo.git ssh://git@host:22/org @decorator:",
        "GET https://b.s3.amazonaws.com/key?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900&X-Amz-SignedHeaders=host",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact(text) is text


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "<password>",
            "<password",
            "&lt;token&gt;",
            "%3Ctoken%3E",
            "\\u003ctoken",
            "\\u003c",
            "</Name><Value>",
            '">',
            "<",
        ),
        *("--", "-", "--token ", "--token", "-token-", '"--token", ', "--token=", "--token,"),
        *(
            "://a:",
            "://a:b@",
            "x://",
            "%3A%2F%2Fa%3A",
            "%3a%2f%2fa%3ab",
            "://a:/",
            "jdbc:oracle:thin:",
            "jdbc:oracle:thin:a/",
            ":thin:a/b",
        ),
        *("-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-----END PRIVATE KEY-----", "-----", "-----BEGIN A"),
        *(
            "value=password",
            "value:",
            'value="',
            "value>",
            "value='name:token",
            "name=password",
            'name:"',
            "value=name=password ",
        ),
        *('{"value":"x","name":"password"}', "value: x, name: password\n", '"value":"token","name":"'),
        *(
            "password%3D",
            "password%253D%2522",
            "password%22%3A%22",
            "%22",
            "%",
            "%25",
            "%2525",
            "password=%22",
            "password&quot;",
        ),
        *(
            "password=&quot;",
            "&amp;",
            "&",
            "&amp;amp;",
            "password: |\n  ",
            "password: >\n ",
            "password:\n- ",
            "sig=",
            "?sig=",
            "%26sig%3D",
        ),
        *(
            "token ",
            "token is ",
            "token(",
            "token Ab1",
            "token " + "a" * 15,
            'token","',
            '("token","',
            "signature=",
            "signature=a;",
        ),
        *(
            "vams_",
            "vams_a",
            "vams_A",
            "ghp_",
            "xoxb-",
            "sk_live_",
            "AIza",
            "glpat-",
            "SG.",
            "SG.aaaaaaaaaaaaaaaa.",
            "gh",
            "eyJa.eyJ",
        ),
        *(
            "password=a b",
            ";password=a b",
            "password=a ",
            "token:arn:aws:",
            'token:"arn:aws:',
            "password=arn:aws",
            "bearer%20",
            "a=b&",
        ),
        *(
            PICTURE[:64] + "\n",
            PICTURE[:57],
            '{"a":"',
            '\\"',
            "tasktoken:[",
            "password : { ",
            "İ",
            "key: ",
            "api key ",
            "secretsecret",
        ),
        *(
            "password=a(",
            "password: !!a ",
            "password: &a ",
            "password -> ",
            "| password | ",
            "password | a",
            "password ='",
        ),
        *('password="""', 'password:""a', "password: a = ", "password a =", "password.$", "password[", "password1"),
        *("identified by ", "identified by '", "-u a:", "-u a:b ", "--user ", "pass=", "pass", "pwd=/a ", "password '"),
        *("authorization: a b=", 'authorization: a="b", ', "response=", "response=0123456789abcdef0123456789abcdef,"),
        *("\0", "\x1b[", "\x1b[31m", "\x1b]", "\\u001b", "\u200b", "pass\0word=", "%00", "\x1b[0mtoken=a "),
        *(
            "eyJa\n",
            "eyJhbGciOiJ9\nAb1",
            "eyJhbGciOiJ9..",
            "eyJhbGciOiJ9.a\nAb1",
            "eyJhbGciOiJIUzI1NiIs ",
            "eyJhbGciOiJ9%2E",
        ),
        *("https://a@", "https://Token0123@", "https%3A%2F%2FTokenA12%40", "Private-Lines: 1\n", "Private-MAC: 0 "),
        *("sk-ant-", "sk-a", "hf_", "key-0", "0123456789:AA", "a.atlasv1.", "AAA0Q~", "dapi0", "-us", "sk-proj-a1 "),
    ],
)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        text = "token " + unit * (size // len(unit))
        return min(_cpu_seconds(text) for _ in range(3))

    # Eight times the text: linear is 8, quadratic is 64. The constant absorbs the grain of the clock.
    assert seconds(160_000) < 20 * seconds(20_000) + 0.004


@pytest.mark.parametrize("opening", ['token:{}"', "password={}'", 'value:{}"name:token', 'password:{}"arn:aws:'])
def test_quotes_that_are_escaped_ever_more_deeply_take_no_more(opening: str) -> None:
    def seconds(size: int) -> float:
        text = "".join(opening.format("\\" * depth) for depth in range(2 * int(size**0.5)))[:size]
        return min(_cpu_seconds(text) for _ in range(3))

    assert seconds(160_000) < 20 * seconds(20_000) + 0.004


def _cpu_seconds(text: str) -> float:
    begun = time.thread_time()
    redact(text)
    return time.thread_time() - begun
