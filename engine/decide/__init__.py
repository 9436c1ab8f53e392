"""The second stage of a step: one observation in, one decision out of the closed vocabulary."""
