-- The bounded-round core: runs, cells, their chained events, the money book, approvals, evaluators, artifacts, leases.
-- Times are integer milliseconds since the epoch, money is integer micro-dollars.

CREATE TABLE legal_edges (
    machine TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
    PRIMARY KEY (machine, source, target)
) STRICT, WITHOUT ROWID;

INSERT INTO legal_edges VALUES
    ('run', 'pending_approval', 'queued'), ('run', 'pending_approval', 'terminal'),
    ('run', 'queued', 'preparing'), ('run', 'queued', 'terminal'),
    ('run', 'preparing', 'baseline_running'), ('run', 'preparing', 'finalizing'), ('run', 'preparing', 'terminal'),
    ('run', 'baseline_running', 'exploring'), ('run', 'baseline_running', 'finalizing'),
    ('run', 'baseline_running', 'terminal'),
    ('run', 'exploring', 'paused'), ('run', 'exploring', 'finalizing'), ('run', 'exploring', 'terminal'),
    ('run', 'paused', 'exploring'), ('run', 'paused', 'finalizing'), ('run', 'paused', 'terminal'),
    ('run', 'finalizing', 'terminal'),
    ('cell', 'planned', 'waiting_slot'), ('cell', 'planned', 'skipped'), ('cell', 'planned', 'cancelled'),
    ('cell', 'waiting_slot', 'preparing'), ('cell', 'waiting_slot', 'skipped'), ('cell', 'waiting_slot', 'cancelled'),
    ('cell', 'waiting_slot', 'void'), ('cell', 'waiting_slot', 'infra_failed'),
    ('cell', 'preparing', 'running'), ('cell', 'preparing', 'infra_failed'), ('cell', 'preparing', 'cancelled'),
    ('cell', 'preparing', 'void'),
    ('cell', 'running', 'preparing'), ('cell', 'running', 'sealing'), ('cell', 'running', 'timeout'),
    ('cell', 'running', 'no_output'), ('cell', 'running', 'runtime_error'), ('cell', 'running', 'policy_violation'),
    ('cell', 'running', 'infra_failed'), ('cell', 'running', 'cancelled'), ('cell', 'running', 'void'),
    ('cell', 'sealing', 'evaluating'), ('cell', 'sealing', 'tamper'), ('cell', 'sealing', 'no_output'),
    ('cell', 'sealing', 'policy_violation'), ('cell', 'sealing', 'infra_failed'), ('cell', 'sealing', 'cancelled'),
    ('cell', 'sealing', 'void'),
    ('cell', 'evaluating', 'valid'), ('cell', 'evaluating', 'invalid_solution'), ('cell', 'evaluating', 'runtime_error'),
    ('cell', 'evaluating', 'timeout'), ('cell', 'evaluating', 'no_output'), ('cell', 'evaluating', 'tamper'),
    ('cell', 'evaluating', 'not_evaluated'), ('cell', 'evaluating', 'cancelled'), ('cell', 'evaluating', 'void'),
    ('approval', 'pending', 'approved'), ('approval', 'pending', 'denied'), ('approval', 'pending', 'expired'),
    ('approval', 'pending', 'withdrawn');

CREATE TABLE explorations (
    run_id TEXT PRIMARY KEY,
    requester TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    request_json TEXT NOT NULL,
    request_sha256 TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending_approval', 'queued', 'preparing', 'baseline_running', 'exploring',
                                         'paused', 'finalizing', 'terminal')),
    status TEXT CHECK (status IN ('cancelled', 'blocked', 'interrupted', 'rate_limited', 'budget_exhausted', 'degraded',
                                  'complete', 'failed')),
    stop_code TEXT,
    stop_detail TEXT,
    cancel_code TEXT CHECK (cancel_code IN ('approval_denied', 'approval_expired', 'cancelled_by_user')),
    pause_requested INTEGER NOT NULL DEFAULT 0,
    created_ms INTEGER NOT NULL,
    wall_started_ms INTEGER,
    paused_since_ms INTEGER,
    paused_ms INTEGER NOT NULL DEFAULT 0,
    ended_ms INTEGER,
    planned_cells INTEGER NOT NULL DEFAULT 0,
    planned_rounds INTEGER NOT NULL DEFAULT 0,
    finished_nodes INTEGER NOT NULL DEFAULT 0,
    baseline_score REAL,
    baseline_digest TEXT,
    best_cell_id TEXT,
    best_score REAL,
    improved INTEGER,
    winner_cell_id TEXT,
    isolated INTEGER NOT NULL DEFAULT 1,
    CHECK ((state = 'terminal') = (status IS NOT NULL)),
    CHECK (cancel_code IS NULL OR status IS NULL OR status = 'cancelled'),
    CHECK (status IS NOT 'cancelled' OR (cancel_code IS NOT NULL AND stop_code IS NULL))
) STRICT;

CREATE INDEX explorations_by_creation ON explorations (created_ms DESC);
CREATE INDEX explorations_open ON explorations (state) WHERE state <> 'terminal';

CREATE TRIGGER explorations_begin BEFORE INSERT ON explorations
WHEN NEW.state NOT IN ('pending_approval', 'queued')
BEGIN
    SELECT RAISE(ABORT, 'illegal first state of a run');
END;

CREATE TRIGGER explorations_edges BEFORE UPDATE OF state ON explorations
WHEN NEW.state <> OLD.state
     AND NOT EXISTS (SELECT 1 FROM legal_edges WHERE machine = 'run' AND source = OLD.state AND target = NEW.state)
BEGIN
    SELECT RAISE(ABORT, 'illegal transition of a run');
END;

CREATE TRIGGER explorations_end BEFORE UPDATE ON explorations
WHEN OLD.state = 'terminal'
BEGIN
    SELECT RAISE(ABORT, 'illegal change of a run that has ended');
END;

CREATE TRIGGER explorations_stay BEFORE DELETE ON explorations
BEGIN
    SELECT RAISE(ABORT, 'illegal removal of a run');
END;

CREATE TRIGGER explorations_frozen BEFORE UPDATE OF request_json, request_sha256, requester, agent_id, run_id ON explorations
BEGIN
    SELECT RAISE(ABORT, 'illegal change of a frozen request');
END;

CREATE TABLE cells (
    run_id TEXT NOT NULL REFERENCES explorations (run_id),
    cell_id TEXT NOT NULL,
    round INTEGER NOT NULL,
    branch INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    state TEXT NOT NULL,
    seed INTEGER NOT NULL,
    parent TEXT,
    sight INTEGER,
    prompt_sha256 TEXT,
    tries INTEGER NOT NULL DEFAULT 0,
    finished INTEGER,
    score REAL,
    fail_class TEXT,
    feedback TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, cell_id),
    CHECK ((state = 'valid') = (score IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX cells_in_order ON cells (run_id, round, branch, attempt);
CREATE INDEX cells_highest ON cells (run_id, score DESC, finished) WHERE score IS NOT NULL;
CREATE INDEX cells_lowest ON cells (run_id, score, finished) WHERE score IS NOT NULL;
CREATE INDEX cells_unscored ON cells (run_id, finished) WHERE finished IS NOT NULL AND score IS NULL;
CREATE INDEX cells_open ON cells (run_id, state)
    WHERE state IN ('planned', 'waiting_slot', 'preparing', 'running', 'sealing', 'evaluating');

CREATE TRIGGER cells_begin BEFORE INSERT ON cells
WHEN NEW.state <> 'planned'
BEGIN
    SELECT RAISE(ABORT, 'illegal first state of a cell');
END;

CREATE TRIGGER cells_edges BEFORE UPDATE OF state ON cells
WHEN NEW.state <> OLD.state
     AND NOT EXISTS (SELECT 1 FROM legal_edges WHERE machine = 'cell' AND source = OLD.state AND target = NEW.state)
BEGIN
    SELECT RAISE(ABORT, 'illegal transition of a cell');
END;

CREATE TRIGGER cells_prompt BEFORE UPDATE OF prompt_sha256, seed, sight, parent ON cells
WHEN OLD.prompt_sha256 IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'illegal change of what a cell was given');
END;

CREATE TRIGGER cells_stay BEFORE DELETE ON cells
BEGIN
    SELECT RAISE(ABORT, 'illegal removal of a cell');
END;

CREATE TABLE rounds (
    run_id TEXT NOT NULL REFERENCES explorations (run_id),
    round INTEGER NOT NULL,
    planned INTEGER NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0,
    valid INTEGER NOT NULL DEFAULT 0,
    best_score REAL,
    PRIMARY KEY (run_id, round)
) STRICT, WITHOUT ROWID;

CREATE TABLE exploration_events (
    run_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_written_once BEFORE UPDATE ON exploration_events
BEGIN
    SELECT RAISE(ABORT, 'illegal change of an event');
END;

CREATE TRIGGER events_stay BEFORE DELETE ON exploration_events
BEGIN
    SELECT RAISE(ABORT, 'illegal removal of an event');
END;

-- The money book. `held` is the sum of max(reserved, observed) over calls in flight.
CREATE TABLE ledger_budgets (
    run_id TEXT PRIMARY KEY,
    max_calls INTEGER NOT NULL CHECK (max_calls >= 1),
    max_micros INTEGER NOT NULL CHECK (max_micros >= 1),
    calls INTEGER NOT NULL DEFAULT 0 CHECK (calls >= 0 AND calls <= max_calls),
    in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
    held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    reported INTEGER NOT NULL DEFAULT 0 CHECK (reported >= 0),
    estimated INTEGER NOT NULL DEFAULT 0 CHECK (estimated >= 0),
    unknown INTEGER NOT NULL DEFAULT 0 CHECK (unknown >= 0),
    model_requests INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE ledger_calls (
    call_id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES ledger_budgets (run_id),
    cell_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('in_flight', 'settled', 'released')),
    reserved INTEGER NOT NULL CHECK (reserved >= 1),
    observed INTEGER NOT NULL DEFAULT 0 CHECK (observed >= 0),
    charged INTEGER,
    source TEXT CHECK (source IN ('reported', 'estimated', 'unknown')),
    orphaned INTEGER NOT NULL DEFAULT 0,
    model TEXT NOT NULL DEFAULT '',
    CHECK ((state = 'settled') = (charged IS NOT NULL AND source IS NOT NULL)),
    CHECK (source IS NOT 'unknown' OR charged >= max(reserved, observed))
) STRICT;

CREATE INDEX ledger_in_flight ON ledger_calls (run_id) WHERE state = 'in_flight';

CREATE TRIGGER ledger_admission BEFORE INSERT ON ledger_calls
WHEN EXISTS (SELECT 1 FROM ledger_budgets
             WHERE run_id = NEW.run_id AND reported + estimated + unknown + held + NEW.reserved > max_micros)
BEGIN
    SELECT RAISE(ABORT, 'illegal admission: over the limit');
END;

CREATE TABLE ledger_rows (
    row_id INTEGER PRIMARY KEY AUTOINCREMENT,
    call_id INTEGER NOT NULL REFERENCES ledger_calls (call_id),
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('reserve', 'top_up', 'settle', 'release', 'orphan', 'correct')),
    micros INTEGER NOT NULL,
    source TEXT NOT NULL
) STRICT;

CREATE TRIGGER ledger_rows_written_once BEFORE UPDATE ON ledger_rows
BEGIN
    SELECT RAISE(ABORT, 'illegal change of a ledger row');
END;

CREATE TRIGGER ledger_rows_stay BEFORE DELETE ON ledger_rows
BEGIN
    SELECT RAISE(ABORT, 'illegal removal of a ledger row');
END;

CREATE TABLE exploration_approvals (
    approval_id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE REFERENCES explorations (run_id),
    request_sha256 TEXT NOT NULL,
    state TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    requested_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE exploration_receipts (
    approval_id TEXT PRIMARY KEY REFERENCES exploration_approvals (approval_id),
    request_sha256 TEXT NOT NULL,
    approve INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    decided_ms INTEGER NOT NULL,
    comment TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;

CREATE TRIGGER receipts_written_once BEFORE UPDATE ON exploration_receipts
BEGIN
    SELECT RAISE(ABORT, 'illegal change of a receipt');
END;

CREATE TRIGGER receipts_stay BEFORE DELETE ON exploration_receipts
BEGIN
    SELECT RAISE(ABORT, 'illegal removal of a receipt');
END;

CREATE TRIGGER approvals_edges BEFORE UPDATE OF state ON exploration_approvals
WHEN NEW.state <> OLD.state
     AND NOT EXISTS (SELECT 1 FROM legal_edges WHERE machine = 'approval' AND source = OLD.state AND target = NEW.state)
BEGIN
    SELECT RAISE(ABORT, 'illegal transition of an approval');
END;

CREATE TRIGGER approvals_need_a_receipt BEFORE UPDATE OF state ON exploration_approvals
WHEN NEW.state IN ('approved', 'denied')
     AND NOT EXISTS (SELECT 1 FROM exploration_receipts
                     WHERE approval_id = NEW.approval_id AND request_sha256 = NEW.request_sha256
                           AND approve = (NEW.state = 'approved'))
BEGIN
    SELECT RAISE(ABORT, 'illegal decision: no receipt');
END;

CREATE TABLE evaluators (
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('registered', 'superseded', 'revoked')),
    directory TEXT NOT NULL,
    declaration_json TEXT NOT NULL,
    noise REAL NOT NULL,
    registered_by TEXT NOT NULL,
    registered_ms INTEGER NOT NULL,
    PRIMARY KEY (name, hash)
) STRICT;

CREATE UNIQUE INDEX evaluators_current ON evaluators (name) WHERE state = 'registered';

CREATE TABLE artifacts (
    run_id TEXT NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    manifest TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sealed_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    pruned_ms INTEGER,
    PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX artifacts_by_expiry ON artifacts (expires_ms) WHERE pruned_ms IS NULL AND pinned = 0;

CREATE TRIGGER artifacts_sealed BEFORE UPDATE OF digest, manifest, bytes, sealed_ms ON artifacts
BEGIN
    SELECT RAISE(ABORT, 'illegal change of a sealed artifact');
END;

CREATE TRIGGER artifacts_stay BEFORE DELETE ON artifacts
BEGIN
    SELECT RAISE(ABORT, 'illegal removal of an artifact row');
END;

CREATE TABLE artifact_storage (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT;

INSERT INTO artifact_storage VALUES (1, 0);

CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    owner TEXT,
    host TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    pid_namespace TEXT NOT NULL,
    pid INTEGER NOT NULL,
    start_ticks INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    taken_ms INTEGER NOT NULL
) STRICT;

CREATE TRIGGER leases_fence BEFORE UPDATE OF epoch ON leases
WHEN NEW.epoch < OLD.epoch
BEGIN
    SELECT RAISE(ABORT, 'illegal fall of a fencing epoch');
END;

CREATE TABLE worker_slots (
    slot INTEGER PRIMARY KEY,
    lease TEXT,
    epoch INTEGER,
    cell_id TEXT,
    CHECK ((lease IS NULL) = (cell_id IS NULL))
) STRICT;

INSERT INTO worker_slots (slot) VALUES (1), (2), (3), (4);

CREATE TABLE leftovers (
    path TEXT PRIMARY KEY,
    found_ms INTEGER NOT NULL
) STRICT;
