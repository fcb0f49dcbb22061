"""How values are written in files, and how they become numbers and dates: one kind a file."""
