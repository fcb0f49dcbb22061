"""Experiments: what is measured on which study, the runs that do it, and their results."""
