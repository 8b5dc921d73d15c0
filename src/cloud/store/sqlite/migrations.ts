/**
 * The schema of the SQLite store, as numbered steps. `user_version` of a database is the number of its last step; opening it
 * runs the missing steps. A released step is never edited: a change is a new step.
 */
import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { UsageError } from '../../../kernel/errors.js';
import { foldCase } from '../../../kernel/fold-case.js';
import { shownCommand } from '../../../kernel/web-address.js';
import { connect } from './connect.js';

/** "gflt" in ASCII: marks our files in the header, so that the database of another program is never migrated. */
const APPLICATION_ID = 0x67666c74;

/**
 * 1: The rows of deleted devices are kept (`deleted_at`), because their messages are kept. The name filter searches
 * `name_folded`, because SQLite folds the case of ASCII only. The index columns `type` and `direction` let a list skip messages
 * without reading them. The partial indexes of downlinks contain only pending or unanswered ones.
 */
const FIRST = `
CREATE TABLE space (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE api_key (
  id TEXT PRIMARY KEY, space_id TEXT NOT NULL REFERENCES space (id), name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE tag (
  id TEXT PRIMARY KEY, space_id TEXT NOT NULL REFERENCES space (id), name TEXT NOT NULL, color TEXT NOT NULL,
  access_type TEXT NOT NULL, created_at INTEGER NOT NULL,
  UNIQUE (space_id, name)
) WITHOUT ROWID;
CREATE INDEX tag_of_space ON tag (space_id, id);

CREATE TABLE device (
  id TEXT PRIMARY KEY, space_id TEXT NOT NULL REFERENCES space (id), name TEXT NOT NULL, name_folded TEXT NOT NULL,
  comment TEXT, serial INTEGER NOT NULL, token TEXT NOT NULL, external_id TEXT, label TEXT NOT NULL,
  created_at INTEGER NOT NULL, last_seen INTEGER, session_id INTEGER, session TEXT,
  config_hash TEXT, decoder_hash TEXT, encoder_hash TEXT, deleted_at INTEGER
);
CREATE UNIQUE INDEX device_serial ON device (serial) WHERE deleted_at IS NULL;
CREATE INDEX device_of_space ON device (space_id, id) WHERE deleted_at IS NULL;

CREATE TABLE device_tag (
  device_id TEXT NOT NULL REFERENCES device (id),
  tag_id TEXT NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  PRIMARY KEY (device_id, tag_id)
) WITHOUT ROWID;
CREATE INDEX device_of_tag ON device_tag (tag_id, device_id);

CREATE TABLE message (
  id TEXT PRIMARY KEY, space_id TEXT NOT NULL REFERENCES space (id), device_id TEXT NOT NULL REFERENCES device (id),
  created_at INTEGER NOT NULL, type TEXT NOT NULL, direction TEXT NOT NULL, body TEXT NOT NULL,
  codec_hash TEXT, raw TEXT, print TEXT, down_state TEXT, down_state_at INTEGER, down_scheduled_at INTEGER,
  down_attempt INTEGER NOT NULL, down_answered_at INTEGER
);
CREATE INDEX message_of_space ON message (space_id, id, type, direction);
CREATE INDEX message_of_device ON message (device_id, id, type, direction);
CREATE INDEX message_print ON message (device_id, print, id) WHERE print IS NOT NULL;
CREATE INDEX message_pending ON message (id) WHERE down_state = 'pending';
CREATE INDEX message_pending_of_device ON message (device_id, id) WHERE down_state = 'pending';
CREATE INDEX message_unanswered ON message (device_id, id)
  WHERE down_state = 'sent' AND down_answered_at IS NULL AND type IN ('config', 'shell');

CREATE TABLE timeline (
  position INTEGER PRIMARY KEY, message_id TEXT NOT NULL, at INTEGER NOT NULL, what TEXT NOT NULL, detail TEXT
);
CREATE INDEX timeline_of_message ON timeline (message_id);

CREATE TABLE codec (hash TEXT PRIMARY KEY, document BLOB NOT NULL);
`;

/**
 * 2: Families of rows that are small or rarely read (users, variables, connectors, …; rows.ts) share one table. A UNIQUE
 * constraint ignores nulls, so the index replaces a null space by ''. The index of due times contains only records that have a
 * due time.
 */
const RECORDS = `
CREATE TABLE record (
  family TEXT NOT NULL, id TEXT NOT NULL, space_id TEXT REFERENCES space (id), key TEXT, created_at INTEGER NOT NULL,
  due_at INTEGER, body TEXT NOT NULL,
  PRIMARY KEY (family, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX record_key ON record (family, coalesce(space_id, ''), key) WHERE key IS NOT NULL;
CREATE INDEX record_of_space ON record (family, coalesce(space_id, ''), id);
CREATE INDEX record_due ON record (family, due_at, id) WHERE due_at IS NOT NULL;
`;

/** 3: A downlink leaves the state pending only once. */
const LEAVING = `
CREATE TRIGGER message_leaves_pending BEFORE UPDATE OF down_state ON message WHEN OLD.down_state IS NOT 'pending'
BEGIN SELECT RAISE(ABORT, 'down-state'); END;
`;

/** 4: The fingerprint alone is indexed: devices hardly share one, and short entries at random places write fewer pages. */
const PRINTS = `
DROP INDEX message_print;
CREATE INDEX message_print ON message (print) WHERE print IS NOT NULL;
`;

/**
 * 5: A deleted space rejects new rows, with two exceptions: messages, because an uplink may have been in progress when its
 * device was deleted, and the deliveries of such messages to connectors.
 */
const GONE_SPACES = ['api_key', 'tag', 'device', 'record'].map(goneSpaceTrigger).join('\n');

function goneSpaceTrigger(table: string): string {
  const isOver = "(SELECT type FROM space WHERE id = NEW.space_id) = 'deleted'";
  const condition = table === 'record' ? `NEW.family <> 'delivery' AND ${isOver}` : isOver;
  return `CREATE TRIGGER ${table}_in_gone_space BEFORE INSERT ON ${table} WHEN ${condition}
      BEGIN SELECT RAISE(ABORT, 'space'); END;`;
}

/**
 * 6: A claim token belongs to one device. The index contains hashes. Of devices that already share a token, only the oldest has
 * a hash; the others keep working, and get a hash with their next token.
 */
const TOKENS = `
ALTER TABLE device ADD COLUMN token_hash TEXT;
UPDATE device SET token_hash = token_hash_of(token)
  WHERE id IN (SELECT min(id) FROM device WHERE deleted_at IS NULL GROUP BY token);
CREATE UNIQUE INDEX device_token ON device (token_hash) WHERE deleted_at IS NULL;
`;

/** 7: Due records are read space by space, so that a space with many of them does not delay the others. */
const DUE_OF_SPACE = `
CREATE INDEX record_due_of_space ON record (family, space_id, due_at, id) WHERE due_at IS NOT NULL;
`;

/** 8: Identity and last transaction of the database (tail.mjs), in one row; checksums of bodies, absent in older rows. */
const SOUNDNESS = `
CREATE TABLE soundness (lineage TEXT NOT NULL, sequence INTEGER NOT NULL);
INSERT INTO soundness VALUES (lower(hex(randomblob(8))), 0);
ALTER TABLE message ADD COLUMN crc INTEGER;
ALTER TABLE record ADD COLUMN crc INTEGER;
`;

/**
 * 9: Secrets are encrypted (secrets/vault.ts); `encrypt` in unlock.ts encrypts them after the steps. Hashes of tokens become
 * keyed. If devices share a token (step 6), all but the oldest have its hash in another column. So no further device can get
 * the token, even after the oldest device gets a new token or is deleted. `has_old` is 1 while free pages of the file, or its
 * write-ahead log, may still contain plain values, or values encrypted with an earlier key (`forgetOld` in unlock.ts).
 */
const VAULT = `
CREATE TABLE vault (key_id TEXT PRIMARY KEY, proof TEXT NOT NULL, has_old INTEGER NOT NULL) WITHOUT ROWID;
ALTER TABLE device ADD COLUMN shared_token_hash TEXT;
CREATE INDEX device_shared_token ON device (shared_token_hash) WHERE shared_token_hash IS NOT NULL;
${['INSERT', 'UPDATE OF token_hash']
  .map(
    (event) => `CREATE TRIGGER device_token_${event === 'INSERT' ? 'inserted' : 'changed'} BEFORE ${event} ON device
  WHEN ${event === 'INSERT' ? '' : 'NEW.token_hash IS NOT OLD.token_hash AND '}EXISTS (SELECT 1 FROM device
    WHERE shared_token_hash = NEW.token_hash AND shared_token_hash IS NOT NULL AND id <> NEW.id)
  BEGIN SELECT RAISE(ABORT, 'token'); END;`,
  )
  .join('\n')}
`;

/** 10: The journal of events. AUTOINCREMENT: numbers are never used again. No foreign keys: rows may be gone. */
const EVENTS = `
CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, space_id TEXT NOT NULL, device_id TEXT, at INTEGER NOT NULL, kind TEXT NOT NULL,
  ref TEXT NOT NULL, detail TEXT
);
`;

/** 11: The number of changes by users, so that a change can require that no other one came first. */
const VERSIONS = 'ALTER TABLE device ADD COLUMN version INTEGER NOT NULL DEFAULT 0';

/** 12: The name filter folds more letters (kernel/fold-case.ts). */
const FOLDED = `
UPDATE device SET name_folded = fold_case(name) WHERE name_folded <> fold_case(name);
`;

/** 13: Counts the changes of the connectors of each space: a message is stored together with the deliveries that they demand. */
const CONNECTOR_TRIGGERS = ['INSERT', 'UPDATE', 'DELETE']
  .map((event) => {
    const row = event === 'DELETE' ? 'OLD' : 'NEW';
    return `CREATE TRIGGER connectors_${event.toLowerCase()} AFTER ${event} ON record WHEN ${row}.family = 'connector'
  BEGIN UPDATE space SET connectors_version = connectors_version + 1 WHERE id = ${row}.space_id; END;`;
  })
  .join('\n');
const CONNECTORS = `
ALTER TABLE space ADD COLUMN connectors_version INTEGER NOT NULL DEFAULT 0;
${CONNECTOR_TRIGGERS}
`;

/**
 * 14: Records have row ids. In a table without them, SQLite reads the whole of each large record that it compares on the way to
 * another one. With 60 firmware images in the table, a record was found in 400 µs; now it takes 5 µs.
 */
const RECORD_ROWS = `
CREATE TABLE record_with_rowid (
  family TEXT NOT NULL, id TEXT NOT NULL, space_id TEXT REFERENCES space (id), key TEXT, created_at INTEGER NOT NULL,
  due_at INTEGER, body TEXT NOT NULL, crc INTEGER,
  PRIMARY KEY (family, id)
);
INSERT INTO record_with_rowid SELECT family, id, space_id, key, created_at, due_at, body, crc FROM record ORDER BY family, id;
DROP TABLE record;
ALTER TABLE record_with_rowid RENAME TO record;
CREATE UNIQUE INDEX record_key ON record (family, coalesce(space_id, ''), key) WHERE key IS NOT NULL;
CREATE INDEX record_of_space ON record (family, coalesce(space_id, ''), id);
CREATE INDEX record_due ON record (family, due_at, id) WHERE due_at IS NOT NULL;
${DUE_OF_SPACE}
${goneSpaceTrigger('record')}
${CONNECTOR_TRIGGERS}
`;

/** 15: The rhythm of a device's contacts (contract/health.ts). A device of an earlier version was last seen by a message. */
const RHYTHM = `
ALTER TABLE device ADD COLUMN last_contact INTEGER;
ALTER TABLE device ADD COLUMN contact_every INTEGER;
ALTER TABLE device ADD COLUMN contact_gap INTEGER;
UPDATE device SET last_contact = last_seen;
`;

/** 16: The rhythm is learned from several gaps instead of the last one. */
const GAPS = `
ALTER TABLE device ADD COLUMN contact_gaps TEXT;
UPDATE device SET contact_gaps = '[' || contact_gap || ']' WHERE contact_gap IS NOT NULL;
ALTER TABLE device DROP COLUMN contact_gap;
`;

/** Step `n` is the `n`-th entry, counted from 1. */
export const MIGRATIONS: readonly string[] = [
  ...[FIRST, RECORDS, LEAVING, PRINTS, GONE_SPACES, TOKENS, DUE_OF_SPACE],
  ...[SOUNDNESS, VAULT, EVENTS, VERSIONS, FOLDED, CONNECTORS, RECORD_ROWS, RHYTHM, GAPS],
];

/**
 * Runs the missing steps in one transaction.
 * @throws UsageError `bad-database` if another program or a newer version of ghostfleet wrote the database
 */
export function migrate(db: Database, path: string, steps: readonly string[] = MIGRATIONS): void {
  defineFunctions(db);
  db.transaction(() => {
    const version = Number(db.pragma('user_version', { simple: true }));
    if (contentOf(db, path) === 'nothing') db.pragma(`application_id = ${APPLICATION_ID}`);
    if (version > steps.length) {
      const message = `"${path}" was written by a newer version: its schema is ${version}, this version knows ${steps.length}`;
      throw new UsageError('bad-database', message, 'update ghostfleet, or use another file');
    }
    for (const step of steps.slice(version)) db.exec(step);
    db.pragma(`user_version = ${steps.length}`);
  }).immediate();
}

/** The functions that the steps call. */
function defineFunctions(db: Database): void {
  db.function('token_hash_of', { deterministic: true }, (token) => sha256(String(token)));
  db.function('fold_case', { deterministic: true }, (name) => foldCase(String(name)));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Whether the file contains our tables or is still empty. Changes nothing.
 * @throws UsageError `bad-database` if it belongs to another program, or has lost the marks of ours; or if a view stands in the
 * place of a table, whose query could be endless
 */
export function contentOf(db: Database, path: string): 'ours' | 'nothing' {
  const owner = Number(db.pragma('application_id', { simple: true }));
  if (owner === APPLICATION_ID) {
    refuseViews(db, path);
    return 'ours';
  }
  const version = Number(db.pragma('user_version', { simple: true }));
  const { tables } = db.prepare<[], { tables: number }>('SELECT count(*) AS tables FROM sqlite_schema').get() ?? {};
  if (owner === 0 && version === 0 && tables === 0) return 'nothing';
  const unmarked = owner === 0 ? versionOfSchema(db) : undefined;
  if (unmarked === undefined) throw new UsageError('bad-database', `"${path}" is the database of another program`);
  const marks = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${unmarked}`;
  throw new UsageError(
    'bad-database',
    `"${path}" is a database of ghostfleet without its application_id and user_version, which "sqlite3 .dump" leaves out`,
    `to set them again, run ${shownCommand(['sqlite3', path, marks])}`,
  );
}

function refuseViews(db: Database, path: string): void {
  const views = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'view'").pluck().all();
  if (views.length === 0) return;
  const built = connect(':memory:');
  try {
    defineFunctions(built);
    for (const step of MIGRATIONS) built.exec(step);
    const isTable = built.prepare<[string], 1>(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
    );
    const replaced = views.find((name) => isTable.get(name) !== undefined);
    if (replaced === undefined) return;
    throw new UsageError('bad-database', `"${path}" has a view "${replaced}" in place of this table of ghostfleet`);
  } finally {
    built.close();
  }
}

/**
 * The step after which a database has exactly these tables and columns; undefined without such a step. Of several steps, the
 * first: steps that change no tables can run again.
 */
function versionOfSchema(db: Database): number | undefined {
  const wanted = shapeOf(db);
  const built = connect(':memory:');
  try {
    defineFunctions(built);
    for (const [before, step] of MIGRATIONS.entries()) {
      built.exec(step);
      if (shapeOf(built) === wanted) return before + 1;
    }
    return undefined;
  } finally {
    built.close();
  }
}

/** The names of all tables, columns, indexes and triggers, as one text. */
function shapeOf(db: Database): string {
  const names = db.prepare<
    [],
    string
  >(`SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'
    UNION SELECT s.name || '.' || c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c WHERE s.type = 'table'
      AND s.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY 1`);
  return names.pluck().all().join('\n');
}
