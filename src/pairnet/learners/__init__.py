"""Families of methods: what the methods of one kind have in common."""
