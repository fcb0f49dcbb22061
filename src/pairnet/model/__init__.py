"""A fitted model: what it is made of, what it is asked, and how it is kept."""
