"""The commands of the command line, one a file; `cli.py` holds their list and their options."""
