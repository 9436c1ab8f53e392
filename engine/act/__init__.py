"""Performing what was permitted, and saying what came of it."""
