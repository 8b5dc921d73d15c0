/**
 * The schema of the PostgreSQL store, as numbered steps. The table `ghostfleet_schema` holds the number of the last step;
 * opening the store runs the missing steps. A released step is never edited: a change is a new step.
 */
import type { ClientBase } from 'pg';
import { UsageError } from '../../../kernel/errors.js';
import { foldCase } from '../../../kernel/fold-case.js';
import { fromPostgres, toPostgres } from './text.js';

/**
 * 1: Like steps 1 to 3 of SQLite (sqlite/migrations.ts), with three differences.
 *
 *  - Texts are ordered by code point: collation "C".
 *  - Lists of messages use the collation "POSIX". It is another name for the same order, but the planner cannot use the
 *    primary key for it. Otherwise, for a device with many messages, the planner would find the newest ones by scanning the
 *    primary key backwards. If the device has sent nothing recently, that scan reads all later messages of other devices.
 *  - Triggers notify other services of changes of a device, in the transaction that makes them: no change is missed, and a
 *    change that is rolled back causes no notification. Notifications are sent for a new name, a deletion, and every change of
 *    the queue. Fields that uplinks change (`last_seen`, the session, the hashes) cause none. A notification contains the
 *    `application_name` of its sender; see nodes.ts.
 */
const FIRST = `
CREATE SEQUENCE ghostfleet_node;

CREATE TABLE space (
  id text COLLATE "C" PRIMARY KEY, name text NOT NULL, type text NOT NULL, created_at bigint NOT NULL
);

CREATE TABLE api_key (
  id text COLLATE "C" PRIMARY KEY, space_id text COLLATE "C" NOT NULL REFERENCES space (id), name text NOT NULL,
  hash text NOT NULL UNIQUE, created_at bigint NOT NULL
);

CREATE TABLE tag (
  id text COLLATE "C" PRIMARY KEY, space_id text COLLATE "C" NOT NULL REFERENCES space (id),
  name text COLLATE "C" NOT NULL, color text NOT NULL, access_type text NOT NULL, created_at bigint NOT NULL,
  CONSTRAINT tag_name UNIQUE (space_id, name)
);
CREATE INDEX tag_of_space ON tag (space_id, id);

CREATE TABLE device (
  id text COLLATE "C" PRIMARY KEY, space_id text COLLATE "C" NOT NULL REFERENCES space (id),
  name text COLLATE "C" NOT NULL, name_folded text NOT NULL, comment text, serial bigint NOT NULL, token text NOT NULL,
  external_id text COLLATE "C", label text NOT NULL, created_at bigint NOT NULL, last_seen bigint, session_id bigint,
  session text, config_hash text, decoder_hash text, encoder_hash text, deleted_at bigint
);
CREATE UNIQUE INDEX device_serial ON device (serial) WHERE deleted_at IS NULL;
CREATE INDEX device_of_space ON device (space_id, id) WHERE deleted_at IS NULL;

CREATE TABLE device_tag (
  device_id text COLLATE "C" NOT NULL REFERENCES device (id),
  tag_id text COLLATE "C" NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
  position integer NOT NULL,
  PRIMARY KEY (device_id, tag_id)
);
CREATE INDEX device_of_tag ON device_tag (tag_id, device_id);

CREATE TABLE message (
  id text COLLATE "C" PRIMARY KEY, space_id text COLLATE "C" NOT NULL REFERENCES space (id),
  device_id text COLLATE "C" NOT NULL REFERENCES device (id), created_at bigint NOT NULL, type text NOT NULL,
  direction text NOT NULL, body text NOT NULL, codec_hash text, raw text, print text, down_state text,
  down_state_at bigint, down_scheduled_at bigint, down_attempt integer NOT NULL, down_answered_at bigint
);
CREATE INDEX message_of_space ON message (space_id, id COLLATE "POSIX", type, direction);
CREATE INDEX message_of_device ON message (device_id, id COLLATE "POSIX", type, direction);
CREATE INDEX message_print ON message (device_id, print, id COLLATE "POSIX") WHERE print IS NOT NULL;
CREATE INDEX message_pending ON message (id) WHERE down_state = 'pending';
CREATE INDEX message_pending_of_device ON message (device_id, id) WHERE down_state = 'pending';
CREATE INDEX message_unanswered ON message (device_id, id)
  WHERE down_state = 'sent' AND down_answered_at IS NULL AND type IN ('config', 'shell');

CREATE TABLE timeline (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, message_id text COLLATE "C" NOT NULL, at bigint NOT NULL,
  what text NOT NULL, detail text
);
CREATE INDEX timeline_of_message ON timeline (message_id);

CREATE TABLE codec (hash text PRIMARY KEY, document bytea NOT NULL);

CREATE TABLE record (
  family text NOT NULL, id text COLLATE "C" NOT NULL, space_id text COLLATE "C" REFERENCES space (id),
  key text COLLATE "C", created_at bigint NOT NULL, due_at bigint, body text NOT NULL,
  PRIMARY KEY (family, id)
);
CREATE UNIQUE INDEX record_key ON record (family, coalesce(space_id, ''), key) WHERE key IS NOT NULL;
CREATE INDEX record_of_space ON record (family, coalesce(space_id, ''), id);
CREATE INDEX record_due ON record (family, due_at, id) WHERE due_at IS NOT NULL;

CREATE FUNCTION message_leaves_pending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'down-state' USING ERRCODE = 'GF001';
END $$;
CREATE TRIGGER message_leaves_pending BEFORE UPDATE OF down_state ON message
  FOR EACH ROW WHEN (OLD.down_state IS DISTINCT FROM 'pending') EXECUTE FUNCTION message_leaves_pending();

CREATE FUNCTION device_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('ghostfleet.' || TG_TABLE_SCHEMA, current_setting('application_name') || ' changed ' || NEW.serial);
  RETURN NULL;
END $$;
CREATE TRIGGER device_changes AFTER UPDATE OF name, deleted_at ON device
  FOR EACH ROW EXECUTE FUNCTION device_changes();

CREATE FUNCTION queue_changes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('ghostfleet.' || TG_TABLE_SCHEMA, current_setting('application_name') || ' changed ' || serial)
    FROM device WHERE id = NEW.device_id;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_grows AFTER INSERT ON message
  FOR EACH ROW WHEN (NEW.down_state = 'pending') EXECUTE FUNCTION queue_changes();
CREATE TRIGGER queue_shrinks AFTER UPDATE OF down_state ON message
  FOR EACH ROW WHEN (OLD.down_state = 'pending' AND NEW.down_state <> 'pending') EXECUTE FUNCTION queue_changes();
`;

/**
 * 2: A deleted space rejects new rows, with the exceptions of SQLite (step 5 there). The lock on the row of the space makes a
 * deletion wait for concurrent insertions, and insertions wait for a deletion.
 */
const GONE_SPACES = `
CREATE FUNCTION needs_space() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  type_now text;
BEGIN
  SELECT type INTO type_now FROM space WHERE id = NEW.space_id FOR SHARE;
  IF type_now = 'deleted' THEN
    RAISE EXCEPTION 'space' USING ERRCODE = 'GF002';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER needs_space BEFORE INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION needs_space();
CREATE TRIGGER needs_space BEFORE INSERT ON tag FOR EACH ROW EXECUTE FUNCTION needs_space();
CREATE TRIGGER needs_space BEFORE INSERT ON device FOR EACH ROW EXECUTE FUNCTION needs_space();
CREATE TRIGGER needs_space BEFORE INSERT ON record
  FOR EACH ROW WHEN (NEW.space_id IS NOT NULL AND NEW.family <> 'delivery') EXECUTE FUNCTION needs_space();
`;

/**
 * 3: Triggers also notify other services of changes of a device's tags. The deletion of a tag causes no notification: if a
 * service still has the tag in a cached device, the commit of the next message finds it (`rules.need`).
 */
const TAGS_OF_DEVICES = `
CREATE FUNCTION tags_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_notify('ghostfleet.' || TG_TABLE_SCHEMA, current_setting('application_name') || ' changed ' || serial)
    FROM device WHERE id = coalesce(NEW.device_id, OLD.device_id);
  RETURN NULL;
END $$;
CREATE TRIGGER tags_change AFTER INSERT OR DELETE ON device_tag
  FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION tags_change();
`;

/**
 * 4: A claim token belongs to one device, as in SQLite (step 6 there). Other services are notified of a new token, because they
 * verify the packets of the device with it.
 */
const TOKENS = `
ALTER TABLE device ADD COLUMN token_hash text;
UPDATE device SET token_hash = encode(sha256(convert_to(token, 'UTF8')), 'hex')
  WHERE id IN (SELECT min(id) FROM device WHERE deleted_at IS NULL GROUP BY token);
CREATE UNIQUE INDEX device_token ON device (token_hash) WHERE deleted_at IS NULL;
DROP TRIGGER device_changes ON device;
CREATE TRIGGER device_changes AFTER UPDATE OF name, token, deleted_at ON device
  FOR EACH ROW EXECUTE FUNCTION device_changes();
`;

/** 5: Due records are read space by space, so that a space with many of them does not delay the others. */
const DUE_OF_SPACE = `
CREATE INDEX record_due_of_space ON record (family, space_id, due_at, id) WHERE due_at IS NOT NULL;
`;

/** 6: Checksums of bodies, which the rows of earlier versions do not have. */
const CHECKSUMS = `
ALTER TABLE message ADD COLUMN crc integer;
ALTER TABLE record ADD COLUMN crc integer;
`;

/** 7: Secrets are encrypted, as in SQLite (step 9 there); `unlock` in unlock.ts encrypts them after the steps. */
const VAULT = `
CREATE TABLE vault (key_id text PRIMARY KEY, proof text NOT NULL);
ALTER TABLE device ADD COLUMN shared_token_hash text;
CREATE INDEX device_shared_token ON device (shared_token_hash) WHERE shared_token_hash IS NOT NULL;
CREATE FUNCTION token_is_shared() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM device WHERE shared_token_hash = NEW.token_hash AND id <> NEW.id) THEN
    RAISE EXCEPTION 'token' USING ERRCODE = 'GF003';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER device_token_inserted BEFORE INSERT ON device FOR EACH ROW EXECUTE FUNCTION token_is_shared();
CREATE TRIGGER device_token_changed BEFORE UPDATE OF token_hash ON device
  FOR EACH ROW WHEN (NEW.token_hash IS DISTINCT FROM OLD.token_hash) EXECUTE FUNCTION token_is_shared();
`;

/**
 * 8: The journal of events, as in SQLite (step 10 there). Other services are notified of new entries, and of changes of the
 * record that says whether the journal is kept.
 */
const EVENTS = `
CREATE TABLE event (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, space_id text COLLATE "C" NOT NULL, device_id text COLLATE "C",
  at bigint NOT NULL, kind text NOT NULL, ref text COLLATE "C" NOT NULL, detail text
);
CREATE FUNCTION events_news() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('ghostfleet.' || TG_TABLE_SCHEMA, current_setting('application_name') || ' ' || TG_ARGV[0] || ' 0');
  RETURN NULL;
END $$;
CREATE TRIGGER events_grow AFTER INSERT ON event FOR EACH STATEMENT EXECUTE FUNCTION events_news('events');
CREATE TRIGGER journal_changes AFTER INSERT OR UPDATE ON record
  FOR EACH ROW WHEN (NEW.family = 'event-journal') EXECUTE FUNCTION events_news('journal');
`;

/** 9: The number of changes by users, so that a change can require that no other one came first. */
const VERSIONS = 'ALTER TABLE device ADD COLUMN version integer NOT NULL DEFAULT 0';

/** 10: Folds the names of devices as the name filter does (kernel/fold-case.ts). */
async function foldNames(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ id: string; name: string; folded: string }>(
    'SELECT id, name, name_folded AS folded FROM device',
  );
  const changed = rows.flatMap(({ id, name, folded: before }) => {
    const folded = toPostgres(foldCase(fromPostgres(name)));
    return folded === before ? [] : [{ id, folded }];
  });
  const ids = changed.map(({ id }) => id);
  const names = changed.map(({ folded }) => folded);
  await client.query(
    `UPDATE device SET name_folded = new.name FROM unnest($1::text[], $2::text[]) AS new (id, name)
     WHERE device.id = new.id`,
    [ids, names],
  );
}

/**
 * 11: Counts the changes of connectors, as in SQLite (step 13 there). The triggers come before `needs_space`, in the order of
 * their names: they lock the row of the space for a change at once, instead of sharing it first.
 */
const CONNECTORS = `
ALTER TABLE space ADD COLUMN connectors_version integer NOT NULL DEFAULT 0;
CREATE FUNCTION connectors_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE space SET connectors_version = connectors_version + 1 WHERE id = coalesce(NEW.space_id, OLD.space_id);
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER connectors_change BEFORE INSERT OR UPDATE ON record
  FOR EACH ROW WHEN (NEW.family = 'connector') EXECUTE FUNCTION connectors_change();
CREATE TRIGGER connectors_end BEFORE DELETE ON record
  FOR EACH ROW WHEN (OLD.family = 'connector') EXECUTE FUNCTION connectors_change();
`;

/** 12: The rhythm of a device's contacts (contract/health.ts). A device of an earlier version was last seen by a message. */
const RHYTHM = `
ALTER TABLE device ADD COLUMN last_contact bigint, ADD COLUMN contact_every bigint, ADD COLUMN contact_gap bigint;
UPDATE device SET last_contact = last_seen;
`;

/** The rhythm is learned from several gaps instead of the last one. */
const GAPS = `
ALTER TABLE device ADD COLUMN contact_gaps text;
UPDATE device SET contact_gaps = '[' || contact_gap || ']' WHERE contact_gap IS NOT NULL;
ALTER TABLE device DROP COLUMN contact_gap;
`;

/** SQL, or a function for what SQL cannot do. */
type Step = string | ((client: ClientBase) => Promise<void>);

/** Step `n` is the `n`-th entry, counted from 1. */
export const POSTGRES_MIGRATIONS: readonly Step[] = [
  ...[FIRST, GONE_SPACES, TAGS_OF_DEVICES, TOKENS, DUE_OF_SPACE],
  ...[CHECKSUMS, VAULT, EVENTS, VERSIONS, foldNames, CONNECTORS, RHYTHM, GAPS],
];

/** Id of the lock of the service that migrates: "gflt" in ASCII. Other services wait for it, and then find no missing step. */
const LOCK = 0x67666c74;

/**
 * Runs the missing steps in one transaction.
 * @throws UsageError `bad-database` if a newer version of ghostfleet wrote the database
 */
export function migratePostgres(
  client: ClientBase,
  name: string,
  steps: readonly Step[] = POSTGRES_MIGRATIONS,
): Promise<void> {
  return inMigration(client, async () => {
    const version = await versionOf(client);
    if (version > steps.length) {
      const message = `"${name}" was written by a newer version: its schema is ${version}, this version knows ${steps.length}`;
      throw new UsageError('bad-database', message, 'update ghostfleet, or use another database');
    }
    for (const step of steps.slice(version)) await (typeof step === 'string' ? client.query(step) : step(client));
    if (version < steps.length) await client.query('UPDATE ghostfleet_schema SET version = $1', [steps.length]);
  });
}

/** Runs `work` in a transaction, while no other service changes the schema or the key. */
export async function inMigration<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** The number of the last step that was run; 0 in a database without our tables. */
async function versionOf(client: ClientBase): Promise<number> {
  await client.query('CREATE TABLE IF NOT EXISTS ghostfleet_schema (version integer NOT NULL)');
  const { rows } = await client.query<{ version: number }>('SELECT version FROM ghostfleet_schema');
  const [row] = rows;
  if (row) return row.version;
  await client.query('INSERT INTO ghostfleet_schema (version) VALUES (0)');
  return 0;
}
