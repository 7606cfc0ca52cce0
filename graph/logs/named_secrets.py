"""Secrets that a name gives away, in the forms in which logs write a name and its value.

Assignments (`name=value`, `name: value`, JSON, YAML, Python, and all of these quoted, escaped or URL-encoded again),
XML, options of a command, pairs (`"Name": name, "Value": value`, in either order), `bearer value`, and prose
(`with token value`), where the value has to look random.

All patterns are for text in lower case. Quantifiers are possessive: a failed attempt never tries shorter repetitions.
"""

import re
from collections.abc import Iterable

from graph.logs.invisible import Visible
from graph.logs.regions import Span, matches
from graph.logs.secret_names import AFTER_NAME, NAME, SUFFIX, VAGUE_NAME, is_reference, looks_secret
from graph.logs.separators import (
    AMPERSAND,
    BAR,
    CLOSING,
    ENCODED_QUOTE,
    ENCODED_SIGN,
    OPENING,
    PERCENT,
    PLAIN_QUOTE,
    PREFIX,
    QUOTE,
    SCHEME,
    SCHEMES,
    SEPARATOR,
    SIGN,
    SPACE,
    UNICODE,
    WRAPPER,
)

_NULL = "null|none|true|false|nil|undefined"
# Other members between a name and its value, such as `"type": "String",`, that hold no secret themselves.
_MEMBER = (
    rf"[,;]?\s*+{PLAIN_QUOTE}(?!\w*?(?:token|secret|pass|key|cred|auth))\w{{1,32}}+{PLAIN_QUOTE}"
    rf"""\s*+[:=]\s*+{PLAIN_QUOTE}?[^"'\\,:=;{{}}]{{0,64}}+{PLAIN_QUOTE}?"""
)
# What follows "bearer" in a sentence, and in a challenge.
_NO_BEARER = (
    r"(?:bearer|token)\s|(?:of|is|was|are|were|for|in|on|to|at|by|and|or|with|without|from|has|had|must|may|can|cannot|will"
    r"|should|not|if|the|a|an|that|this|who|auth|authentication|authorization|scheme|header|format|required|missing"
    r"|invalid|expired|realm|error|scope)(?![\w.+/-])"
)
_NO_PLAIN_VALUE = rf"(?:{SCHEMES}|{_NULL}|-)(?![\w.+/=-])"

# What introduces a secret. Each alternative begins with a letter or sign of its own, so that most places of a text are
# passed without an attempt. The group that closes last says what was found.
_EVENT = re.compile(
    rf"""
    (?:
      {NAME}
    | bearer
    | sig(?:(?<=[?&;]sig)|(?<=26sig)|(?<=3fsig))  # of a query
    | value(?:{QUOTE})?+(?:{SEPARATOR}|{CLOSING}(?!\s*+<))(?P<value_ahead>)
    | name(?:{QUOTE})?+(?:{SEPARATOR}|{CLOSING})(?:{QUOTE})?+(?P<name_ahead>)
    | key(?:{QUOTE})?+(?:{SEPARATOR}|{CLOSING})(?:{QUOTE})?+(?P<key_ahead>)
    | identified\s++(?:with\s++[\w"'`]++\s++)?+(?:by|as)\s++(?:(?:password|values)\s++)?+
      (?P<identified>(?:{PREFIX}{QUOTE})?+)
    | -(?<![\w-]-)-?+(?:proxy-)?+u(?:ser)?+(?:[\s=\\]++|{QUOTE}\s*+,\s*+)(?:{QUOTE})?+[^\s:"'\\@/]{{1,64}}+:(?P<login>)
    | -(?<![\w-]-)-?+(?P<option>[a-z0-9_.-]++(?:{AFTER_NAME}))
    | <[\w:.-]++(?:{AFTER_NAME})(?=(?P<tag>(?:\s[^<>]{{0,200}}+)?+>(?:<!\[cdata\[)?+))
    | &(?:amp;)*+lt;[\w:.-]++(?:{AFTER_NAME})(?=(?P<tag_amp>(?:\s[^<>&]{{0,200}}+)?+{AMPERSAND}gt;))
    | %(?:25)*+3c[\w:.-]++(?:{AFTER_NAME})(?=(?P<tag_percent>{PERCENT}3e))
    | \\(?<!\\\\)\\*+u003c[\w:.-]++(?:{AFTER_NAME})(?=(?P<tag_unicode>(?:\s[^<>\\]{{0,200}}+)?+{UNICODE}3e))
    )
    (?(value_ahead)|(?(name_ahead)|(?(key_ahead)|(?(tag)|(?(tag_amp)|(?(tag_percent)|(?(tag_unicode)|
    (?(identified)|(?(login)|
      {SUFFIX}
      (?:
        # The most frequent form, in one step: letters, digits and the like up to a delimiter.
        (?:[:=][ ]?+(?!{_NO_PLAIN_VALUE})|(?<=bearer)\s++(?!{_NO_BEARER}))
        (?P<plain>[a-z0-9+/_.=-]++)(?=[\s,;&]|\Z)(?!\s*+[:=])
      |
        (?:[_-]?+value)?+
        (?:{QUOTE}){{0,2}}+  # two in CSV
        (?:  # "Name": "TASK_TOKEN", "Value":
          (?:{_MEMBER}){{0,3}}?{SPACE}[,;]?+{SPACE}(?:{QUOTE})?+(?:parameter|field|string|env)?+[_-]?+value(?:{QUOTE})?+
        )?+
        (?:
          (?:[ ][a-z]\w{{0,30}}+(?=[ ]:?+=))?+  # a type
          {SPACE}(?P<sign>{SIGN}){SPACE}
          {WRAPPER}{{0,6}}+
          {SCHEME}
          (?P<value>(?:{PREFIX}{QUOTE})?+)
        |
          {SPACE}(?P<encoded>{ENCODED_SIGN}{SPACE}{SCHEME}(?:{QUOTE})?+)
        )
      |
        (?<=bearer)(?:\s|{PERCENT}20)++(?!{_NO_BEARER})(?P<bearer>(?:{PREFIX}{QUOTE})?+)
      |
        (?(option)
          (?:{QUOTE})?+(?:{SPACE},{SPACE}|[\s\\]++)(?!-)(?P<argument>(?:{PREFIX}{QUOTE})?+)
        |
          (?:
            {QUOTE}\s*+,\s*+(?P<second>(?=[bu]?+["'][^"'\\]*+["']\s*+[)\]])[bu]?+["'])  # ("name", "value")
          |
            (?={QUOTE}(?:\s[^<>&%\\]{{0,200}}+)?+(?P<body>>))  # <entry key="name">value
          |
            (?P<sibling></[\w:]++>\s*+<[\w:]*?value>)  # <Name>name</Name><Value>value
          |
            {BAR}(?P<cell>(?=[^\s|<]))  # | name | value |
          |
            \s{{1,4}}+(?P<quoted>["'])  # PASSWORD 'value'
          |
            (?:\s++(?:is|was))?+[\s(]++["'`]?+(?=(?P<prose>[a-z0-9+/=_.~-]{{16,}}+))
          )
        )
      )?+
    )))))))))
    """,
    re.VERBOSE,
)

# A quote closes the value unless it is escaped more deeply than the opening one: with n backslashes before the opening
# quote, n + 1 backslashes encode the one that starts an escape, and n precede the quote that it escapes.
_VALUE = re.compile(
    rf"""
    (?:(?:(?P<percent>{PERCENT})3[ad]\+*+|{ENCODED_SIGN}){SPACE}{SCHEME})?+
    (?:
      {PREFIX}(?P<depth>\\*+)(?P<quote>"{{3}}(?!")|'{{3}}(?!')|""(?=[\w+/])|["'])
    | (?P<encoded_quote>{ENCODED_QUOTE})
    | [|>][-+0-9]*+[ \t]*+\r?+\n(?P<indent>[ \t]++)  # a block of YAML
    )?+
    (?P<secret>
    (?(quote)
      (?:
        [^\\"']++
      | (?!(?P=quote))["']
      | (?P=depth)\\(?:(?P=depth)(?:\\|(?P=quote)))?+
      | \\++(?!(?P=quote))
      )++
    |
    (?(encoded_quote)
      (?:
        [^%&\\]++
      | (?:{PERCENT}5c|\\(?!u00))(?P=encoded_quote)
      | (?!(?P=encoded_quote)).
      )++
    |
    (?(indent)
      [^\n]++(?:\n(?P=indent)[^\n]*+)*+
    |
      (?![]}})<])(?!(?:{_NULL})(?![\w.+/=-]))
      (?(percent)
        (?:[^\s,;&"'\\%<]++|(?!(?P=percent)(?:2[0267c]|3[bce]|0[9ad]|5d|7d))%|\\++(?!["']))++
      |
        (?:[^\s,;&"'\\]++|\\++(?!["']))++
      )
    ))))
    """,
    re.VERBOSE | re.DOTALL,
)
_CELL = re.compile(r"""[^|\u2502\s"'\\]++(?:[ \t]++[^|\u2502\s"'\\]++)*+""")
_BEFORE_FIRST_CELL = re.compile(r"(?:.*(?:\\n|[\n\"']))?[ \t]*+[|\u2502]?+[ \t]*+[\w.-]*+", re.DOTALL)
_LOGIN = re.compile(r"""(?!\d++(?:[\s"'\\]|\Z))[^\s"'\\]++""")
_WORD = re.compile(r"[^\s<>]++")
_FIRST = re.compile(r"""[\[(]\s*+[bu]?+["'][\w.-]*+""")
_OPENING_AT = re.compile(OPENING)
_TEXT = re.compile(r"(?P<secret>[^<]++)")  # of an element of XML
_REST_OF_SETTING = re.compile(r"""(?:[ ][^;"'\n\r<>\\=]*+)(?=;)""")  # a password with spaces in a connection string
_BETWEEN_VALUE_AND_NAME = re.compile(r"(?:(?!\n\s*+-\s)[^{}\[\]])+")  # of one pair: no end of an object or list item
# The parameters of an authorization, such as those of Digest.
_PARAMETER = r"""[\w-]++\s?+=\s?+(?:\\*+"[^"\\]*+\\*+"|[^\s,"'\\]++)"""
_PARAMETERS = re.compile(rf"(?:[\w-]++[ ]++)?+{_PARAMETER}(?:\s*+,\s*+{_PARAMETER})*+")
_ASSIGNED = re.compile(rf"[ \t]*+:?=[ \t]*+(?=[^=\s])(?:{WRAPPER}){{0,4}}+", re.VERBOSE)  # name: type = value
_NO_AUTHORIZATION = re.compile(r"[a-z]{1,14}[.!?)]?")  # a plain word
_LONGEST_DISTANCE = 160  # characters between a value and what says that a name follows
_PREFIX = re.compile(r"[\w.:-]{0,64}+")  # of a name before its telling tail
_RANDOM = re.compile(
    r"(?=[^a-z]*+[a-z])(?=[^A-Z]*+[A-Z])(?=\D*+\d)"
    r"|(?:[0-9a-f]{32,}+|[0-9A-F]{32,}+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\Z"
)


def find_named(text: str, lowered: str, regions: Iterable[Span]) -> list[Span]:
    """Return where the secrets are that a name gives away.

    Args:
        text: what to look at.
        lowered: the same in lower case, with the same offsets.
        regions: where names are looked for, in order. A secret may end anywhere after its name.
    """
    found: list[Span] = []
    end = 0  # of the last secret: a value that begins before it is a part of it
    value_ahead: int | None = None  # where the value of a pair begins whose name has not come yet
    name_ahead: re.Match[str] | None = None  # what says that a name follows
    for event in matches(_EVENT, lowered, regions):
        kind = event.lastgroup
        if kind == "value_ahead":
            value_ahead = event.end()
            continue
        if kind == "name_ahead" or kind == "key_ahead":
            name_ahead = event
            continue
        secrets = _secrets(text, lowered, event) if event.end() >= end else ()
        if secrets:
            found += secrets
            end = secrets[-1][1]
        elif value_ahead is not None and name_ahead is not None and value_ahead < name_ahead.start():
            is_name = not lowered[event.end() : event.end() + 1].isalpha()  # such as "tokens", which are counted
            if not is_name or not _PREFIX.fullmatch(lowered, name_ahead.end(), event.start()):
                continue
            if before := _value_before(lowered, value_ahead, name_ahead.start()):
                found.append(before)
            value_ahead = None
    return found


def is_option(text: str, argument: object) -> bool:
    """Return whether a text is an option whose argument holds a secret, such as `--task-token` or curl's `-u`."""
    if (
        isinstance(argument, str)
        and (login := _EVENT.match(f"{text} {argument}".lower()))
        and login.lastgroup == "login"
    ):
        return True
    event = _EVENT.match(Visible(text).text.lower())
    return event is not None and event["option"] is not None and event.end("option") == event.endpos


def _secrets(text: str, lowered: str, event: re.Match[str]) -> tuple[Span, ...]:
    """Return the secrets that an event introduces: one or none, or two where a value looks like a type of another."""
    kind = event.lastgroup
    if kind is None or kind == "option":
        return ()
    if kind == "plain":
        span, is_quoted = event.span(kind), False
    elif kind in _OTHERS:
        other = _OTHERS[kind](text, lowered, event)
        return () if other is None else (other,)
    else:
        if lowered.startswith("arn:aws", event.end()) or (kind == "second" and not _is_first(lowered, event.start())):
            return ()
        value = _VALUE.match(lowered, event.start(kind))
        if value is None:
            return ()
        span, is_quoted = value.span("secret"), value["quote"] is not None
    spans = (span,) if is_quoted or not lowered.startswith((" ", "="), span[1]) else _with_rest(lowered, span)
    if lowered.startswith("$", span[0]) and ".$" in lowered[event.start() : span[0]]:
        return ()  # a path in the input of a state machine
    if lowered.startswith(_JUDGED_NAMES, event.start()):
        return tuple([judged for span in spans if (judged := _judged(text, lowered, event, span, is_quoted))])
    return spans


def _with_rest(lowered: str, value: Span) -> tuple[Span, ...]:
    """Return a value without quotes, and what belongs to it after a space or an equals sign."""
    start, stop = value
    if lowered.startswith(("=", " =", " :="), stop) and (assigned := _ASSIGNED.match(lowered, stop)):
        other = _VALUE.match(lowered, assigned.end())
        return (value, other.span("secret")) if other else (value,)
    if lowered.startswith("=", start - 1) and (rest := _REST_OF_SETTING.match(lowered, stop)):
        return ((start, rest.end()),)
    return (value,)


def _judged(text: str, lowered: str, event: re.Match[str], value: Span, is_quoted: bool) -> Span | None:
    """Return what stands after a name whose values are not secret in every case, if it is a secret."""
    name, (start, stop) = event.start(), value
    if lowered.startswith("authorization", name):
        has_scheme = not lowered[name:start].rstrip().endswith((":", "="))
        if not is_quoted and not has_scheme and _NO_AUTHORIZATION.fullmatch(text, start, stop):
            return None
        parameters = _PARAMETERS.match(lowered, start)
        return start, max(stop, parameters.end()) if parameters else stop
    if lowered.startswith("pwd", name):
        written = text[name - 3 : name + 3] if lowered.startswith("old", name - 3) else text[name : name + 3]
        return None if is_reference(written, text[start:stop]) else value
    if _VAGUE_NAME.match(lowered, name):
        is_meant = event.lastgroup != "quoted" and _is_meant(text, name, start, stop, is_quoted)
        return value if is_meant else None
    if lowered.startswith("identified", name):
        return value if is_quoted or looks_secret(text[start:stop], is_assigned=False) else None
    return value


def _cell(text: str, lowered: str, event: re.Match[str]) -> Span | None:
    """Return the second cell of a row, where the name is in the first."""
    name, cell = event.start(), _CELL.match(lowered, event.end())
    if cell is None or not _BEFORE_FIRST_CELL.fullmatch(lowered, max(0, name - 80), name):
        return None
    return _judged(text, lowered, event, cell.span(), is_quoted=False)


def _login(_text: str, lowered: str, event: re.Match[str]) -> Span | None:
    """Return the password of a user that an option names."""
    login = _LOGIN.match(lowered, event.end())
    return login.span() if login else None


def _prose(text: str, _lowered: str, event: re.Match[str]) -> Span | None:
    """Return a word that follows a name in a sentence, where it is random."""
    return event.span("prose") if _RANDOM.match(text, *event.span("prose")) else None


def _is_meant(text: str, name: int, start: int, stop: int, is_quoted: bool) -> bool:
    """Return whether what follows a vague name is a secret."""
    if text.endswith(":", 0, name):  # arn:aws:secretsmanager:region:account:secret:name
        return False
    return looks_secret(text[start:stop], is_assigned=is_quoted or "=" in text[name:start])


def _is_first(lowered: str, name: int) -> bool:
    """Return whether a name is the first of a list or tuple."""
    bracket = max(lowered.rfind(sign, max(0, name - 80), name) for sign in "([")
    return bracket >= 0 and _FIRST.fullmatch(lowered, bracket, name) is not None


def _element(_text: str, lowered: str, event: re.Match[str]) -> Span | None:
    """Return the text of an element of XML; without its closing tag, a text that begins at once."""
    kind = event.lastgroup or ""
    tag = _OPENING_AT.match(lowered, event.start())
    opening = tag[0] if tag else "<"
    start = event.end(kind)
    stop = lowered.find(opening, start)
    if stop >= 0 and lowered.startswith(("/", "%2f", "\\/", "!"), stop + len(opening)):
        return (start, stop) if lowered[start:stop].strip() else None
    word = _WORD.match(lowered, start)
    return word.span() if word else None


def _value_before(lowered: str, start: int, name: int) -> Span | None:
    """Return the value that begins at ``start``, where it belongs to the name that is announced at ``name``."""
    pattern = _TEXT if lowered.startswith(">", start - 1) else _VALUE
    value = pattern.match(lowered, start, name)
    if value is None:
        return None
    start, stop = value.span("secret")
    is_beside = 0 < name - stop <= _LONGEST_DISTANCE and _BETWEEN_VALUE_AND_NAME.fullmatch(lowered, stop, name)
    return (start, stop) if is_beside else None


_OTHERS = {
    **dict.fromkeys(("tag", "tag_amp", "tag_percent", "tag_unicode", "body", "sibling"), _element),
    "cell": _cell,
    "login": _login,
    "prose": _prose,
}
_JUDGED_NAMES = (
    *("token", "secret", "signature", "api ", "private ", "access ", "pass"),
    *("authorization", "pwd", "identified"),
)
_VAGUE_NAME = re.compile(rf"(?:{VAGUE_NAME})(?![_-]?(?:access|key|string))")
