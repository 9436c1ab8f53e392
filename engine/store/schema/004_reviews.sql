-- Every decision about a version of a capability, bound to the digest of its content. Rows are only ever added.

CREATE TABLE reviews (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    capability TEXT NOT NULL,
    version TEXT NOT NULL,
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    decision TEXT NOT NULL CHECK (decision IN ('approved', 'rejected', 'superseded', 'revoked')),
    by_name TEXT NOT NULL CHECK (trim(by_name) <> ''),
    at TEXT NOT NULL,
    comment TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX reviews_by_version ON reviews (capability, version, number);

CREATE TRIGGER reviews_edges BEFORE INSERT ON reviews
WHEN (
    coalesce((SELECT decision FROM reviews WHERE capability = NEW.capability AND version = NEW.version
              ORDER BY number DESC LIMIT 1), 'draft') || ' ' || NEW.decision
) NOT IN ('draft approved', 'draft rejected', 'approved superseded', 'approved revoked')
BEGIN
    SELECT RAISE(ABORT, 'illegal transition of a review');
END;

CREATE TRIGGER reviews_bound BEFORE INSERT ON reviews
WHEN EXISTS (SELECT 1 FROM reviews WHERE capability = NEW.capability AND version = NEW.version AND digest <> NEW.digest)
BEGIN
    SELECT RAISE(ABORT, 'illegal review of other content under a version that was decided about');
END;

CREATE TRIGGER reviews_one BEFORE INSERT ON reviews
WHEN NEW.decision = 'approved' AND EXISTS (
    SELECT 1 FROM reviews AS last WHERE last.capability = NEW.capability AND last.decision = 'approved'
    AND last.number = (SELECT max(number) FROM reviews WHERE capability = last.capability AND version = last.version)
)
BEGIN
    SELECT RAISE(ABORT, 'illegal second approved version of a capability');
END;

CREATE TRIGGER reviews_kept BEFORE UPDATE ON reviews
BEGIN
    SELECT RAISE(ABORT, 'illegal change of a review');
END;

CREATE TRIGGER reviews_stay BEFORE DELETE ON reviews
BEGIN
    SELECT RAISE(ABORT, 'illegal removal of a review');
END;
