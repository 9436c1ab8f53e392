"""Evidence: everything a run saw, decided and did, redacted, chained, written as it happens."""
