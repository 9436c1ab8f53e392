"""The loop that joins the five stages of a step."""
