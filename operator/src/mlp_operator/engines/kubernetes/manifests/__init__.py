"""Manifests, made from specs by pure functions."""
