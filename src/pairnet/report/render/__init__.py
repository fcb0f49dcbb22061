"""Documents as one HTML page, as Markdown, or on the terminal.

Each module has `page`, which renders a document, and `block`, which renders one block of it.
"""
