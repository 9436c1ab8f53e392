"""Only door to SQLite and to sealed files: runs, explorations, ledger, approvals, artifacts, leases."""
