"""Which method suits a table: held-out pair losses, without true effects."""
