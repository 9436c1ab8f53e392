-- Leave for single risky steps, and what became of every step with an effect. Times are seconds since the epoch.

CREATE TABLE step_approvals (
    approval_id TEXT PRIMARY KEY,
    token_sha256 TEXT NOT NULL UNIQUE,
    binding_sha256 TEXT NOT NULL,
    run_id TEXT NOT NULL,
    step INTEGER NOT NULL,
    needed_json TEXT NOT NULL,
    policy_digest TEXT NOT NULL,
    capability TEXT NOT NULL DEFAULT '',
    channel TEXT NOT NULL CHECK (channel IN ('inbox', 'terminal')),
    asked_by TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'void', 'consumed')),
    asked_at REAL NOT NULL,
    expires_at REAL NOT NULL,
    expires_monotonic REAL NOT NULL,
    approver TEXT NOT NULL DEFAULT '',
    comment TEXT NOT NULL DEFAULT '',
    decided_at REAL,
    ended_at REAL
) STRICT;

CREATE INDEX step_approvals_open ON step_approvals (asked_at) WHERE state = 'pending';

CREATE TRIGGER step_approvals_first BEFORE INSERT ON step_approvals
WHEN NEW.state <> 'pending'
BEGIN
    SELECT RAISE(ABORT, 'illegal first state of a step approval');
END;

CREATE TRIGGER step_approvals_edges BEFORE UPDATE OF state ON step_approvals
WHEN (OLD.state || ' ' || NEW.state) NOT IN
    ('pending approved', 'pending denied', 'pending expired', 'pending void',
     'approved consumed', 'approved expired', 'approved void')
BEGIN
    SELECT RAISE(ABORT, 'illegal transition of a step approval');
END;

CREATE TRIGGER step_approvals_bound BEFORE UPDATE OF
    token_sha256, binding_sha256, run_id, step, needed_json, policy_digest, capability, channel, asked_by, asked_at,
    expires_at, expires_monotonic ON step_approvals
BEGIN
    SELECT RAISE(ABORT, 'illegal change of what a step approval is bound to');
END;

CREATE TRIGGER step_approvals_kept BEFORE DELETE ON step_approvals
BEGIN
    SELECT RAISE(ABORT, 'illegal removal of a step approval');
END;

CREATE TABLE effects (
    run_id TEXT NOT NULL,
    step INTEGER NOT NULL,
    part INTEGER NOT NULL,
    class TEXT NOT NULL CHECK (class IN ('read', 'idempotent', 'commit')),
    approval_id TEXT REFERENCES step_approvals (approval_id),
    state TEXT NOT NULL CHECK (state IN ('intended', 'done', 'failed', 'in_doubt')),
    intended_at REAL NOT NULL,
    ended_at REAL,
    PRIMARY KEY (run_id, step, part)
) STRICT;

CREATE UNIQUE INDEX effects_by_approval ON effects (approval_id) WHERE approval_id IS NOT NULL;

CREATE TRIGGER effects_edges BEFORE UPDATE OF state ON effects
WHEN OLD.state <> 'intended' OR NEW.state = 'intended'
BEGIN
    SELECT RAISE(ABORT, 'illegal transition of an effect');
END;
