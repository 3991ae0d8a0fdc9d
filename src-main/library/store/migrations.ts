import type Database from 'better-sqlite3';
import { indexAllEntries } from './search-index.ts';

/** Leads from one user_version to the next, inside the transaction that sets it. */
type Migration = (database: Database.Database) => void;

const VERSION_1 = `
  CREATE TABLE investigation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    format TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    opened_at TEXT,
    recorded_at TEXT,
    length_ns INTEGER,
    machine TEXT,
    gpu TEXT,
    sample INTEGER NOT NULL CHECK (sample IN (0, 1)),
    synthetic INTEGER NOT NULL CHECK (synthetic IN (0, 1))
  ) STRICT`;

/**
 * The table is made anew: a removed entry may keep a path that another one has now, so `path` is no
 * longer UNIQUE; writes look for the path in their own transaction. Ids are never given twice.
 */
const VERSION_2 = `
  CREATE TABLE investigation_2 (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    /* Relative to the data folder, with '/', for a file of the library's own. */
    path TEXT NOT NULL,
    storage TEXT NOT NULL CHECK (storage IN ('copied', 'referenced')),
    name TEXT NOT NULL,
    format TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    opened_at TEXT,
    recorded_at TEXT,
    length_ns INTEGER,
    machine TEXT,
    gpu TEXT,
    /* A JSON array of names. */
    processes TEXT NOT NULL DEFAULT '[]',
    sample INTEGER NOT NULL CHECK (sample IN (0, 1)),
    synthetic INTEGER NOT NULL CHECK (synthetic IN (0, 1)),
    sha256 TEXT,
    hashed_size INTEGER,
    hashed_mtime_us INTEGER,
    damage TEXT,
    verdict_kind TEXT,
    verdict_text TEXT,
    view TEXT,
    removed_at TEXT,
    trash_file INTEGER NOT NULL DEFAULT 0 CHECK (trash_file IN (0, 1)),
    /* 1 = a host was told to deal with the file of this removed entry. */
    removal_taken INTEGER NOT NULL DEFAULT 0 CHECK (removal_taken IN (0, 1))
  ) STRICT;
  INSERT INTO investigation_2
    (id, path, storage, name, format, size_bytes, added_at, opened_at, recorded_at, length_ns,
     machine, gpu, sample, synthetic)
    SELECT id, path, 'referenced', name, format, size_bytes, added_at, opened_at, recorded_at,
      length_ns, machine, gpu, sample, synthetic
    FROM investigation;
  DELETE FROM sqlite_sequence WHERE name = 'investigation_2';
  INSERT INTO sqlite_sequence (name, seq)
    SELECT 'investigation_2', seq FROM sqlite_sequence WHERE name = 'investigation';
  DROP TABLE investigation;
  ALTER TABLE investigation_2 RENAME TO investigation;
  CREATE INDEX investigation_path ON investigation (path);
  CREATE INDEX investigation_size ON investigation (size_bytes);

  CREATE TABLE tag (
    investigation INTEGER NOT NULL REFERENCES investigation ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (investigation, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE note (
    row INTEGER PRIMARY KEY,
    investigation INTEGER NOT NULL REFERENCES investigation ON DELETE CASCADE,
    id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('note', 'bookmark')),
    text TEXT NOT NULL,
    start_ns REAL NOT NULL,
    end_ns REAL NOT NULL,
    slot INTEGER,
    /* JSON. */
    event TEXT,
    view TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (investigation, id)
  ) STRICT;

  CREATE TABLE setting (
    key TEXT PRIMARY KEY,
    /* JSON. */
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  /* Words as words.ts folds them; rowid = investigation.id and note.row. */
  CREATE VIRTUAL TABLE entry_words USING fts5
    (words, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1 2 3', detail = none);
  CREATE VIRTUAL TABLE note_words USING fts5
    (words, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1 2 3', detail = none)`;

/** The search also finds machine, CPU, GPU and format. */
const VERSION_3 = `
  /* The CPU's model, where it is known. */
  ALTER TABLE investigation ADD COLUMN cpu TEXT`;

/** What the user says the processes of a trace are. */
const VERSION_4 = `
  /* A JSON array of {pid, startNs?, role}. */
  ALTER TABLE investigation ADD COLUMN roles TEXT NOT NULL DEFAULT '[]'`;

/** What the analysis found, beside the user's own verdict: the search finds it as well. */
const VERSION_5 = `
  ALTER TABLE investigation ADD COLUMN found_kind TEXT;
  ALTER TABLE investigation ADD COLUMN found_text TEXT`;

/** Which part of the recorded machine was not real. */
const VERSION_6 = `
  ALTER TABLE investigation ADD COLUMN simulated TEXT;
  /* The sample is one: without its length it is read and described once more. */
  UPDATE investigation SET length_ns = NULL WHERE sample = 1`;

/** How a trace was captured. */
const VERSION_7 = `
  /* JSON: the host, the settings, no secret. */
  ALTER TABLE investigation ADD COLUMN origin TEXT`;

/** Statements that the user kept, for any trace. */
const VERSION_8 = `
  CREATE TABLE saved_query (
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`;

/** Where the file of a copy lay: its path tells that no more. */
const VERSION_9 = `
  ALTER TABLE investigation ADD COLUMN folder TEXT`;

/** The catalogue's schema, one step a version: `migrations[n]` leads from user_version n to n + 1. */
export const migrations: readonly Migration[] = [
  (database) => database.exec(VERSION_1),
  (database) => database.exec(VERSION_2),
  (database) => database.exec(VERSION_3),
  (database) => database.exec(VERSION_4),
  (database) => {
    database.exec(VERSION_5);
    // It reads the columns of this version, and indexes entries of any older one anew.
    indexAllEntries(database);
  },
  (database) => database.exec(VERSION_6),
  (database) => database.exec(VERSION_7),
  (database) => database.exec(VERSION_8),
  (database) => database.exec(VERSION_9),
];
