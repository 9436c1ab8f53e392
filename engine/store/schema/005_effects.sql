-- Whose effect it is: the capability of a replay as `id@version`, empty for a discovery, which has a row of its own.
ALTER TABLE effects ADD COLUMN what TEXT NOT NULL DEFAULT '';
