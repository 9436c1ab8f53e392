"""The operator's evaluators: how they are declared, tested, pinned, asked, and understood."""
