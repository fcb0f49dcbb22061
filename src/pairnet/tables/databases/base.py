"""What a kind of database defines, and a query as a place where a table comes from.

People write `duckdb:///file.db::select ...`: what to open, two colons, and a query, or the name of
a table. Databases are only read, and nothing that is shown holds a password.
"""

from __future__ import annotations

import abc
import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import unquote

from pairnet.core.errors import BadInput
from pairnet.tables.formats.base import AbstractFormat

if TYPE_CHECKING:
    import polars as pl

HIDDEN = "***"
LONGEST = 300  # letters of another library's words, or of a list of tables
# What stands before the query: user and password, a server, a port, a database, options.
_SERVER = re.compile(
    r"([a-z0-9]+://(?:[^@/]*@)?(?:\[[^\]]*\]|[^:/\[]*)(?::\d+)?(?:/[^:?]*)?(?:\?.*?)?)::(.*)",
    re.DOTALL | re.IGNORECASE,
)
_PASSWORD = re.compile(r"(://[^:/@]*):(.*)@", re.DOTALL)
_OPTION = re.compile(r"\b((?:ssl)?password)=([^&\s]*)", re.IGNORECASE)
_NOTHING = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*", re.DOTALL)  # before a query's words
_TABLE = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
READS = ("select", "with", "values", "from", "table")  # how a query begins


@dataclass(frozen=True)
class Query:
    """A table that is asked from a database; shown without its password.

    url: what to open, as it was typed. sql: the query, or the name of a table; "" where none was
    typed.
    """

    kind: AbstractDatabase = field(repr=False)
    url: str = field(repr=False)
    sql: str

    def __str__(self) -> str:
        return f"{without_password(self.url)}::{self.sql}" if self.sql else self.shown

    @property
    def shown(self) -> str:
        """What is opened, without its password."""
        return without_password(self.url)

    @property
    def name(self) -> str:
        """A short name: of the file, or of the database on its server."""
        return re.split(r"[/\\:]", self.shown.partition("?")[0].rstrip("/"))[-1]

    def scrubbed(self, text: str) -> str:
        """Return the first line of another library's words, without the password."""
        found = _PASSWORD.search(self.url)
        secrets = [found[2]] if found else []
        secrets += [value for _, value in _OPTION.findall(self.url)]
        for secret in {*secrets, *map(unquote, secrets)} - {""}:
            text = text.replace(secret, HIDDEN)
        lines = without_password(text).strip().splitlines() or ["for an unknown reason"]
        return shorten(lines[0], LONGEST, placeholder=" ...")


Location = Path | Query


class AbstractDatabase(AbstractFormat):
    """A kind of database; its tables are read as they are, and text in them as in files."""

    endings = ()
    is_spelled: ClassVar[bool] = True
    writes: ClassVar[bool] = False
    place: ClassVar[tuple[str, str]] = ("row", "query")
    schemes: ClassVar[tuple[str, ...]]  # how its addresses begin
    example: ClassVar[str]

    @abc.abstractmethod
    def rows(self, query: Query, sql: str) -> pl.DataFrame:
        """Return the result of a query that reads; raise BadInput if it cannot be asked."""

    @abc.abstractmethod
    def tables(self, query: Query) -> Sequence[str]:
        """Return the names of the tables that there are."""

    def read(self, path, reading):
        """Return the table that a query asks for."""
        import polars as pl

        if not path.sql:
            names = _some(self.tables(path))
            problem = f"{path} names no query: expected {self.example}"
            raise BadInput("", problem, f"Its tables are {names}.")
        frame = self.rows(path, _asked(path))
        if frame.width == 0:
            raise BadInput("", f"The query of {path.shown} gives no columns")
        if frame.height == 0:
            raise BadInput("", f"The query of {path.shown} gives no rows: {path.sql}")
        return frame.with_columns(pl.col(pl.Decimal).cast(pl.Float64))

    def write(self, frame, file):
        raise NotImplementedError("databases are only read")

    def lacks_table(self, query: Query, name: str) -> BadInput:
        """Return the error for a table that is not there; it says which there are."""
        names = self.tables(query)
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else ""
        return BadInput("", f"{query.shown} has no table {name!r}. It has {_some(names)}", hint)

    def writes_something(self, query: Query) -> BadInput:
        """Return the error for a query that would change the database."""
        problem = f"The query would change {query.shown}, and databases are only read: {query.sql}"
        return BadInput("", problem, "Ask with select ...")

    def cannot(self, query: Query, why: str) -> BadInput:
        """Return the error for a query that fails, with the first line of the database's words."""
        return BadInput("", f"The query of {query.shown} fails: {query.scrubbed(why)}")

    def check_names(self, query: Query, names: Sequence[str]) -> None:
        """Raise if two columns of a result have the same name."""
        twice = sorted({name for name in names if list(names).count(name) > 1})
        if twice:
            problem = f"The query of {query.shown} gives several columns {twice[0]!r}"
            raise BadInput("", problem, "Name each once, as in select a.id as first_id.")


def location_in(text: str, kinds: Mapping[str, AbstractDatabase]) -> Location:
    """Return the file, or the query of a database, that a text names."""
    scheme, has_scheme, _ = text.partition(":")
    known = {own: kind for kind in kinds.values() for own in kind.schemes}
    if has_scheme and scheme.lower() in known:
        found = _SERVER.fullmatch(text)
        url, _, sql = text.partition("::")
        url, sql = found.groups() if found else (url, sql)
        return Query(known[scheme.lower()], url, sql.strip().rstrip(";").strip())
    if re.match(r"[a-z][a-z0-9+.-]+://", text, re.IGNORECASE):
        examples = "; ".join(kind.example for kind in kinds.values())
        problem = f"{without_password(text)} is no table: {scheme} is no database that can be read"
        raise BadInput("", problem, f"Export it to a file, or use one of these: {examples}.")
    return Path(text)


def without_password(text: str) -> str:
    """Return a text with an address whose password, if it has one, is hidden."""
    return _OPTION.sub(rf"\1={HIDDEN}", _PASSWORD.sub(rf"\1:{HIDDEN}@", text))


def file_of(query: Query) -> Path:
    """Return the file of a database that is one file; raise if there is none.

    Three slashes begin a path from here, four one from the root; three are taken for four where
    only that file is there.
    """
    path = re.sub(r"^[a-z0-9]+:(//)?", "", query.url, flags=re.IGNORECASE)
    here, root = Path(path.removeprefix("/")), Path(path)
    if path.startswith("/") and not path.startswith("//") and here.is_file() and root.is_file():
        scheme = query.url.partition(":")[0]
        problem = f"{query.shown} may be {here} in this folder, or {root}"
        raise BadInput("", problem, f"Say {scheme}:///./{here}, or {scheme}:///{root}.")
    file = next((one for one in (here, root) if one.is_file()), None)
    if file is None:
        is_folder = "a folder, not a file," if here.is_dir() and path.strip("/") else "no file"
        problem = f"There is {is_folder} at {here}" if path.strip("/") else "no file is named"
        raise BadInput("", f"{problem} (from {query.shown})")
    return file


def _asked(query: Query) -> str:
    """Return the query as SQL; raise unless it begins as one that reads, or names a table."""
    if _TABLE.fullmatch(query.sql) and query.sql.lower() not in READS:
        return "select * from " + ".".join(f'"{part}"' for part in query.sql.split("."))
    start = _NOTHING.match(query.sql)
    word = re.match(r"\w*", query.sql[start.end() if start else 0 :])
    first = word[0].lower() if word else ""
    if first in READS:
        return query.sql
    tables = query.kind.tables(query)
    if query.sql in tables:  # a name with spaces
        return f'select * from "{query.sql}"'
    problem = f"{query.sql!r} is neither a query that reads nor a table of {query.shown}"
    raise BadInput("", f"{problem}, which has {_some(tables)}", "Ask with select ...")


def _some(names: Sequence[str]) -> str:
    return shorten(", ".join(names), LONGEST, placeholder=" ...") if names else "no tables"
