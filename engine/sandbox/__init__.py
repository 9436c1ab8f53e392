"""Only door to child processes: bounded, cut off where the system can, and gone afterwards."""
