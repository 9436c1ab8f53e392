"""To come."""

PAGES = ()
