-- One row a run of discovery or replay; the evidence itself is in files.
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    goal TEXT NOT NULL,
    target TEXT NOT NULL,
    model TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL,
    stop_reason TEXT,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    evidence TEXT NOT NULL DEFAULT '',
    manifest_head TEXT,
    result_json TEXT
) STRICT;

CREATE INDEX runs_by_start ON runs (started_at DESC);
