"""Trajectory → draft capability: pure; what needs a page comes in as what the actor saw."""
