"""JSON: a list of objects, an object of columns, or one object a line."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pairnet.core.errors import BadInput
from pairnet.tables.formats.base import AbstractFormat

ADVICE = 'It must be a list of objects, a row each: [{"age": 30, ...}, ...].'


class Json(AbstractFormat):
    """A list of objects, one a row; or an object of columns, as pandas writes it."""

    name = "json"
    endings = (".json",)
    is_spelled: ClassVar[bool] = True

    def read(self, path, reading):
        import polars as pl

        try:
            content = json.loads(path.read_text(encoding="utf-8-sig"))
        except (json.JSONDecodeError, RecursionError) as error:
            raise BadInput("", f"{path} is no JSON: {error}", ADVICE) from None
        columns = _columns(content)
        if columns is None:
            raise BadInput("", f"{path} holds JSON that is no table", ADVICE)
        frame = pl.DataFrame(columns, strict=False)
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def write(self, frame, file):
        frame.write_json(file)


class JsonLines(AbstractFormat):
    """One object a line."""

    name = "jsonl"
    endings = (".jsonl", ".ndjson")
    is_spelled: ClassVar[bool] = True

    def read(self, path, reading):
        import polars as pl

        with path.open("rb") as file:
            return pl.read_ndjson(file, infer_schema_length=None)

    def write(self, frame, file):
        frame.write_ndjson(file)


JSON = Json()
JSONL = JsonLines()


def _columns(content: Any) -> dict[str, list[Any]] | None:
    """Return the columns that JSON holds, or None if it is no table."""
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        names = dict.fromkeys(name for row in content for name in row)
        return {name: [row.get(name) for row in content] for name in names}
    if not isinstance(content, dict) or not content:
        return None
    data = content.get("data")
    if {*content} == {"schema", "data"}:  # as pandas writes a table
        return _columns(data)
    if isinstance(data, list) and data and all(isinstance(row, list) for row in data):
        return _split(content.get("columns"), data) if "columns" in content else None
    columns = list(content.values())
    if all(isinstance(column, dict) for column in columns):
        if any(list(column) != list(columns[0]) for column in columns):
            return None
        return {name: list(column.values()) for name, column in content.items()}
    if all(isinstance(column, list) for column in columns):
        return content if len({len(column) for column in columns}) == 1 else None
    return None


def _split(names: Any, data: list[list[Any]]) -> dict[str, list[Any]] | None:
    """Return the columns of names and rows that stand apart, as pandas writes them."""
    if not isinstance(names, list) or len({*map(str, names)}) < len(names):
        return None
    if any(len(row) != len(names) for row in data):
        return None
    return {str(name): [row[at] for row in data] for at, name in enumerate(names)}
