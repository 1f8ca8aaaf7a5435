"""Imports: the public names of a package that are loaded when they are first used."""
