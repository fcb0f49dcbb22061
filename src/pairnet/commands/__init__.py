"""What the commands of the command line do, one a file; `cli.py` is the list of doors."""
