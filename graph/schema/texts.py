"""Texts that are kept in table rows, and places in S3."""

from graph.context import Context, Extra
from graph.resolvers import texts
from graph.schema.costs import PART_COST, TEXT_COST
from graph.schema.fields import answer, attribute, object_type
from graph.schema.scalars import BigInt
from graph.tables.records import inputs

_BEGINNING = BigInt(0)


@object_type(
    inputs.S3Location,
    description="A place in S3; the key has no leading slash. Seen with the details of the execution.",
)
class S3Location:
    """A place in S3."""

    bucket: str = attribute("The bucket.", reads=())
    key: str = attribute("The key, without a leading slash.", reads=())
    version_id: str | None = attribute("The version of the object, where the row names one.", reads=())


async def content(text: texts.StoredText, _context: Context, max_bytes: int | None = None) -> str:
    """Return the text, or its leading part."""
    return text.content(max_bytes)


@object_type(
    texts.StoredTextPart,
    description="Some bytes of a whole text, redacted as the whole would be: content may be longer or shorter. It ends "
    "in a whole character, and the last part ends at totalBytes.",
)
class StoredTextPart:
    """Some bytes of a text."""

    content: str = attribute("The text between the two offsets, redacted.", reads=(), cost=TEXT_COST)
    from_byte: BigInt = attribute(
        "Where it begins, in bytes of the text as stored: as asked for, moved back to the beginning of a character.",
        reads=(),
    )
    to_byte: BigInt = attribute("Where it ends, and the next part begins.", reads=())
    total_bytes: BigInt = attribute("The length of the whole text as stored, in bytes of UTF-8.", reads=())


async def part(
    text: texts.StoredText, context: Context, from_byte: BigInt = _BEGINNING, max_bytes: int = texts.DEFAULT_PART
) -> texts.StoredTextPart | None:
    """Return a part of the whole text."""
    return await texts.part(text, context, from_byte, max_bytes)


@object_type(
    texts.StoredText,
    description="A text kept in a table row. Rows hold 400 KB at most: a long text is cut there and lies whole in S3.",
)
class StoredText:
    """A text in a row."""

    content: str = answer(
        content,
        "The text, redacted before it is cut where it can hold secrets. With maxBytes, its leading part of at most so "
        "many bytes of UTF-8 that ends in a whole character.",
        cost=TEXT_COST,
    )
    is_truncated: bool | None = attribute(
        "Whether the row holds only the start. Null where it keeps no flag.", reads=()
    )
    byte_length: int = attribute("The length of the text that the row holds, in bytes of UTF-8.", reads=())
    full_location: S3Location | None = attribute(
        "Where the whole text lies. Null for logs, whose whole is in CloudWatch, and for template overrides. For a "
        "rendered configuration: the final file, with system tags filled in.",
        reads=(),
        extra=Extra.WHOLE_TEXT,
    )
    part: StoredTextPart | None = answer(
        part,
        "Some bytes of the whole text, from S3 where the row holds only its beginning: from fromByte on, at most "
        "maxBytes, 4 to 262,144. Begin at 0 and go on at toByte, to totalBytes. Null where S3 has it no more.",
        extra=Extra.WHOLE_TEXT,
        cost=PART_COST,
    )
