"""Packages: code as content-addressed archives."""
