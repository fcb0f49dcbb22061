"""Families of methods: what methods of one kind share."""
