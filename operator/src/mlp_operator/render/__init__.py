"""Rendering: from what is wanted to what an engine is told. Pure."""
