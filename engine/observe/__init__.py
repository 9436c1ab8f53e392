"""First stage of a step: looks at the page and writes it down in few tokens."""
