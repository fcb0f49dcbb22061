"""What a column of training rows is, and how it becomes numbers: one kind a file."""

from pairnet.tables.columns.base import AbstractColumn, Note, Strangeness
from pairnet.tables.columns.category import Category
from pairnet.tables.columns.learning import is_identifiers_name, learned, understood
from pairnet.tables.columns.left_out import LeftOut
from pairnet.tables.columns.quantity import Quantity, check_finite
from pairnet.tables.columns.stored import from_json

__all__ = [
    "AbstractColumn",
    "Category",
    "LeftOut",
    "Note",
    "Quantity",
    "Strangeness",
    "check_finite",
    "from_json",
    "is_identifiers_name",
    "learned",
    "understood",
]
