/** The catalogue's schema, one step a version: `migrations[n]` leads from user_version n to n + 1. */
export const migrations: readonly string[] = [
  `CREATE TABLE investigation (
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
   ) STRICT`,
];
