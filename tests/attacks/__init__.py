"""Attacks on the library: `tests/faults` makes some of each kind, `benchmarks/soak.py` many.

An attack takes a source of chance and an empty folder, tries one thing, and returns "answers" or
"refused"; a broken promise is a `Fault`. The same kind and seed make the same attack. They live
among the tests, whose helpers they use; the benchmark puts this folder on its path.
"""
