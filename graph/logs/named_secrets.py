"""Secrets that a name gives away, in the forms in which logs write a name and its value.

Assignments (`name=value`, `name: value`, JSON, YAML, Python, and all of these quoted, escaped or URL-encoded again),
XML, options of a command, pairs (`"Name": name, "Value": value`, in either order), `bearer value`, and prose
(`with token value`), where the value has to look random.

All patterns are for text in lower case. Quantifiers are possessive: a failed attempt never tries shorter repetitions.
"""

import re
from collections.abc import Iterable

from graph.logs.regions import Span, matches
from graph.logs.secret_names import AFTER_NAME, NAME, VAGUE_NAME, looks_secret

_PERCENT = r"%(?:25)*+"  # URL-encoded to any depth
_AMPERSAND = r"&(?:amp;)*+"  # escaped for XML or HTML to any depth
_UNICODE = r"\\++u00"  # escaped for JSON, as some writers do with punctuation
_PLAIN_QUOTE = r"""\\*+["']"""  # escaped to any depth
_ENCODED_QUOTE = rf"(?:{_PERCENT}2[27]|{_AMPERSAND}(?:quot|apos|\#0*+3[49]|\#x0*+2[27]);|{_UNICODE}2[27])"
_QUOTE = rf"(?:{_PLAIN_QUOTE}|{_ENCODED_QUOTE})"
_SPACE = rf"(?:\s|\\++[nrt]|{_PERCENT}(?:20|0[9ad]))*+"  # also the line ends of indented JSON within a JSON string
_ENCODED_SIGN = rf"(?:{_PERCENT}3[ad]\+*+|{_AMPERSAND}\#(?:x3[ad]|58|61);|{_UNICODE}3[ad])"
_SIGN = r"[:=\uff1a\uff1d]++>?+"
_SEPARATOR = rf"{_SPACE}(?:{_SIGN}|{_ENCODED_SIGN}){_SPACE}"
_OPENING = rf"(?:<|{_AMPERSAND}lt;|{_PERCENT}3c|{_UNICODE}3c)"  # of a tag
_CLOSING = rf"(?:>|{_AMPERSAND}gt;|{_PERCENT}3e|{_UNICODE}3e)"
_SCHEME = (
    rf"(?:(?:basic|bearer|digest|negotiate|token|apikey|oauth|ntlm)(?:\s|{_PERCENT}20)++)?+"  # of an authorization
)
_NULL = "null|none|true|false|nil|undefined"
# Other members between a name and its value, such as `"type": "String",`, that hold no secret themselves.
_MEMBER = (
    rf"[,;]?\s*+{_PLAIN_QUOTE}(?!\w*?(?:token|secret|pass|key|cred|auth))\w{{1,32}}+{_PLAIN_QUOTE}"
    rf"""\s*+[:=]\s*+{_PLAIN_QUOTE}?[^"'\\,:=;{{}}]{{0,64}}+{_PLAIN_QUOTE}?"""
)
_NO_PLAIN_VALUE = rf"(?:basic|bearer|digest|negotiate|token|apikey|oauth|ntlm|{_NULL}|-)(?![\w.+/=-])"

# What introduces a secret. Each alternative begins with a letter or sign of its own, so that most places of a text are
# passed without an attempt. The group that closes last says what was found.
_EVENT = re.compile(
    rf"""
    (?:
      {NAME}
    | bearer
    | sig(?:(?<=[?&;]sig)|(?<=26sig)|(?<=3fsig))  # of a query
    | value(?:{_QUOTE})?+(?:{_SEPARATOR}|{_CLOSING}(?!\s*+<))(?P<value_ahead>)
    | name(?:{_QUOTE})?+(?:{_SEPARATOR}|{_CLOSING})(?:{_QUOTE})?+(?P<name_ahead>)
    | key(?:{_QUOTE})?+(?:{_SEPARATOR}|{_CLOSING})(?:{_QUOTE})?+(?P<key_ahead>)
    | -(?<![\w-]-)-?+(?P<option>[a-z0-9_.-]++(?:{AFTER_NAME}))
    | <[\w:.-]++(?:{AFTER_NAME})(?=(?P<tag>(?:\s[^<>]{{0,200}}+)?+>(?:<!\[cdata\[)?+))
    | &(?:amp;)*+lt;[\w:.-]++(?:{AFTER_NAME})(?=(?P<tag_amp>(?:\s[^<>&]{{0,200}}+)?+{_AMPERSAND}gt;))
    | %(?:25)*+3c[\w:.-]++(?:{AFTER_NAME})(?=(?P<tag_percent>{_PERCENT}3e))
    | \\(?<!\\\\)\\*+u003c[\w:.-]++(?:{AFTER_NAME})(?=(?P<tag_unicode>(?:\s[^<>\\]{{0,200}}+)?+{_UNICODE}3e))
    )
    (?(value_ahead)|(?(name_ahead)|(?(key_ahead)|(?(tag)|(?(tag_amp)|(?(tag_percent)|(?(tag_unicode)|
      (?:
        # The most frequent form, in one step: letters, digits and the like up to a delimiter.
        (?:[:=][ ]?+(?!{_NO_PLAIN_VALUE})|(?<=bearer)\s++(?!(?:bearer|token)\s))
        (?P<plain>[a-z0-9+/_.-]++)(?=[\s,;&]|\Z)(?!\s*+[:=])
      |
        (?:[_-]?+value)?+
        (?:{_QUOTE})?+
        (?:  # "Name": "TASK_TOKEN", "Value":
          (?:{_MEMBER}){{0,3}}?{_SPACE}[,;]?+{_SPACE}(?:{_QUOTE})?+(?:parameter|field|string|env)?+[_-]?+value(?:{_QUOTE})?+
        )?+
        (?:
          {_SPACE}(?P<sign>{_SIGN}){_SPACE}
          (?:  # wrappers such as {{"String":
            \{{{_SPACE}(?:{_PLAIN_QUOTE}[\w.-]++{_PLAIN_QUOTE}{_SEPARATOR})?+ | [\[(]{_SPACE} | -\ ++
          ){{0,4}}+
          {_SCHEME}
          (?P<value>(?:[bu]?+{_QUOTE})?+)
        |
          {_SPACE}(?P<encoded>{_ENCODED_SIGN}{_SPACE}{_SCHEME}(?:{_QUOTE})?+)
        )
      |
        (?<=bearer)(?:\s|{_PERCENT}20)++(?!(?:bearer|token)\s)(?P<bearer>(?:[bu]?+{_QUOTE})?+)
      |
        (?(option)
          (?:{_QUOTE})?+(?:{_SPACE},{_SPACE}|[\s\\]++)(?!-)(?P<argument>(?:[bu]?+{_QUOTE})?+)
        |
          (?:
            {_QUOTE}\s*+,\s*+(?P<second>(?=[bu]?+["'][^"'\\]*+["']\s*+[)\]])[bu]?+["'])  # ("name", "value")
          |
            (?={_QUOTE}(?:\s[^<>&%\\]{{0,200}}+)?+(?P<body>>))  # <entry key="name">value
          |
            (?P<sibling></[\w:]++>\s*+<[\w:]*?value>)  # <Name>name</Name><Value>value
          |
            (?:\s++(?:is|was))?+[\s(]++["'`]?+(?=(?P<prose>[a-z0-9+/=_.~-]{{16,}}+))
          )
        )
      )?+
    )))))))
    """,
    re.VERBOSE,
)

# A quote closes the value unless it is escaped more deeply than the opening one: with n backslashes before the opening
# quote, n + 1 backslashes encode the one that starts an escape, and n precede the quote that it escapes.
_VALUE = re.compile(
    rf"""
    (?:(?:(?P<percent>{_PERCENT})3[ad]\+*+|{_ENCODED_SIGN}){_SPACE}{_SCHEME})?+
    (?:
      [bu]?+(?P<depth>\\*+)(?P<quote>["'])
    | (?P<encoded_quote>{_ENCODED_QUOTE})
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
      | (?:{_PERCENT}5c|\\(?!u00))(?P=encoded_quote)
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
_WORD = re.compile(r"[^\s<>]++")
_FIRST = re.compile(r"""[\[(]\s*+[bu]?+["'][\w.-]*+""")
_OPENING_AT = re.compile(_OPENING)
_TEXT = re.compile(r"(?P<secret>[^<]++)")  # of an element of XML
_REST_OF_SETTING = re.compile(r"""(?:[ ][^;"'\n\r<>\\=]*+)(?=;)""")  # a password with spaces in a connection string
_BETWEEN_VALUE_AND_NAME = re.compile(r"(?:(?!\n\s*+-\s)[^{}\[\]])+")  # of one pair: no end of an object or list item
_LONGEST_DISTANCE = 160  # characters between a value and what says that a name follows
_PREFIX = re.compile(r"[\w.:-]{0,64}+")  # of a name before its telling tail
_RANDOM = re.compile(
    r"(?=[^a-z]*+[a-z])(?=[^A-Z]*+[A-Z])(?=\D*+\d)"
    r"|(?:[0-9a-f]{32,}+|[0-9A-F]{32,}+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\Z"
)


def find_named(text: str, lowered: str, regions: Iterable[Span]) -> list[Span]:
    """Where the secrets are that a name gives away.

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
        secret = _secret(text, lowered, event) if event.end() >= end else None
        if secret is not None:
            found.append(secret)
            end = secret[1]
        elif value_ahead is not None and name_ahead is not None and value_ahead < name_ahead.start():
            if not _PREFIX.fullmatch(lowered, name_ahead.end(), event.start()):
                continue
            if before := _value_before(lowered, value_ahead, name_ahead.start()):
                found.append(before)
            value_ahead = None
    return found


def is_option(text: str) -> bool:
    """Whether a text is an option whose argument is a secret, such as `--task-token`."""
    event = _EVENT.match(text.lower())
    return event is not None and event["option"] is not None and event.end("option") == len(text)


def _secret(text: str, lowered: str, event: re.Match[str]) -> Span | None:
    """The secret that an event introduces, if any."""
    kind = event.lastgroup
    if kind is None or kind == "option":
        return None
    if kind in _TAGS:
        return _element(lowered, event)
    if kind == "prose":
        return event.span(kind) if _RANDOM.match(text, *event.span(kind)) else None
    start, stop = event.span(kind)
    value = None
    if kind != "plain":
        if lowered.startswith("arn:aws", event.end()) or (kind == "second" and not _is_first(lowered, event.start())):
            return None
        value = _VALUE.match(lowered, start)
        if value is None:
            return None
        start, stop = value.span("secret")
    if lowered.startswith(" ", stop) and lowered.startswith("=", start - 1):
        rest = _REST_OF_SETTING.match(lowered, stop)
        stop = rest.end() if rest else stop
    if lowered.startswith(_VAGUE_WORDS, event.start()) and _VAGUE_NAME.match(lowered, event.start()):
        is_quoted = value is not None and value["quote"] is not None
        return (start, stop) if _is_meant(text, event.start(), start, stop, is_quoted) else None
    return start, stop


def _is_meant(text: str, name: int, start: int, stop: int, is_quoted: bool) -> bool:
    """Whether what follows a vague name is a secret."""
    if text.endswith(":", 0, name):  # arn:aws:secretsmanager:region:account:secret:name
        return False
    return looks_secret(text[start:stop], is_assigned=is_quoted or "=" in text[name:start])


def _is_first(lowered: str, name: int) -> bool:
    """Whether a name is the first of a list or tuple."""
    bracket = max(lowered.rfind(sign, max(0, name - 80), name) for sign in "([")
    return bracket >= 0 and _FIRST.fullmatch(lowered, bracket, name) is not None


def _element(lowered: str, event: re.Match[str]) -> Span | None:
    """The text of an element of XML; without its closing tag, a text that begins at once."""
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
    """The value that begins at ``start``, where it belongs to the name that is announced at ``name``."""
    pattern = _TEXT if lowered.startswith(">", start - 1) else _VALUE
    value = pattern.match(lowered, start, name)
    if value is None:
        return None
    start, stop = value.span("secret")
    is_beside = 0 < name - stop <= _LONGEST_DISTANCE and _BETWEEN_VALUE_AND_NAME.fullmatch(lowered, stop, name)
    return (start, stop) if is_beside else None


_TAGS = frozenset({"tag", "tag_amp", "tag_percent", "tag_unicode", "body", "sibling"})
_VAGUE_WORDS = ("token", "secret", "signature", "api ", "private ", "access ")
_VAGUE_NAME = re.compile(rf"(?:{VAGUE_NAME})(?![_-]?(?:access|key|string))")
