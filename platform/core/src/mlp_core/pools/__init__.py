"""Pools: kinds of machine an admin offers."""
