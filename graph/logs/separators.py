"""What stands between a name and its value, in the notations and encodings in which logs write them.

Patterns for text in lower case, with quantifiers that are possessive: a failed attempt never tries shorter repetitions.
"""

PERCENT = r"%(?:25)*+"
"""URL-encoded to any depth."""
AMPERSAND = r"&(?:amp;)*+"
"""Escaped for XML or HTML to any depth."""
UNICODE = r"\\++u00"
"""Escaped for JSON, as some writers do with punctuation."""

PLAIN_QUOTE = r"""\\*+["']"""
ENCODED_QUOTE = rf"(?:{PERCENT}2[27]|{AMPERSAND}(?:quot|apos|\#0*+3[49]|\#x0*+2[27]);|{UNICODE}2[27])"
QUOTE = rf"(?:{PLAIN_QUOTE}|{ENCODED_QUOTE})"
PREFIX = r"(?:[bufenl]|r[bf]?+|[bf]r|@\$?+|\$@?+)?+"
"""What says the kind of a text before its quote: bytes, raw and formatted ones, those of SQL, C# and the shell."""

SPACE = rf"(?:\s|\\++[nrt]|{PERCENT}(?:20|0[9ad]))*+"
"""Also the line ends of indented JSON within a JSON string."""
OPENING = rf"(?:<|{AMPERSAND}lt;|{PERCENT}3c|{UNICODE}3c)"
CLOSING = rf"(?:>|{AMPERSAND}gt;|{PERCENT}3e|{UNICODE}3e)"
"""Of a tag; also the head of an arrow."""
SIGN = rf"(?:(?:[:=\uff1a\uff1d]++|-{{1,2}}+(?={CLOSING}))(?:{CLOSING})?+|[\u2192\u21d2])"
ENCODED_SIGN = rf"(?:{PERCENT}3[ad](?:{CLOSING})?+\+*+|{AMPERSAND}\#(?:x3[ad]|58|61);|{UNICODE}3[ad])"
SEPARATOR = rf"{SPACE}(?:{SIGN}|{ENCODED_SIGN}){SPACE}"
BAR = r"[ \t]*+[|\u2502][ \t]*+"
"""Between two cells of a table."""

SCHEMES = "basic|bearer|digest|negotiate|token|apikey|oauth|ntlm"
SCHEME = rf"(?:(?:{SCHEMES})(?:\s|{PERCENT}20)++)?+"
"""Of an authorization."""

_CALL = r"(?:new[ ]++)?+[a-z_][\w.:]{0,80}+\("
WRAPPER = rf"""(?:
    \{{{SPACE}(?:{PLAIN_QUOTE}[\w.-]++{PLAIN_QUOTE}{SEPARATOR})?+  # {{"String":
  | [\[(]{SPACE}
  | -[ ]++
  | !{{1,2}}+[\w!<>:/,.-]{{0,80}}+[ \t]++  # a tag of YAML
  | (?<=:[ ])&[\w.-]{{1,64}}+[ \t]++  # an anchor of YAML
  | {_CALL}{SPACE}(?:\w{{1,32}}+[ ]?+=[ ]?+)?+(?={PREFIX}{PLAIN_QUOTE}|{_CALL})  # SecretStr(
)"""
"""What may open around a value, for a pattern that is verbose."""
