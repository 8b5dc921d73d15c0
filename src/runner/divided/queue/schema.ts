/**
 * The tables through which runs and workers exchange messages. The jobs are in tables of graphile-worker, in another schema.
 */
import { PART_FORMAT } from '../messages.js';

/** Schema with the tables of graphile-worker. */
export const JOBS = 'ghostfleet_jobs';
/**
 * Schema of our tables. Each version of the format has a schema of its own. Rows in old schemas need no migration, because they
 * are used only during a run.
 */
export const QUEUE = `ghostfleet_queue_${PART_FORMAT}`;
/** Name of our only task in graphile-worker: to carry out a part of a run. */
export const TASK = 'ghostfleet-part';

/** If a run ends without deleting its parts, later runs delete them after this time. */
export const FORGET_AFTER = '1 hour';

/**
 * `task` is encrypted, and deleted when a worker has taken the part. `run_beat` and `part_beat` are heartbeats: they increase
 * with every exchange of the run or of the part with the database. `part_beat` is 0 until a worker takes the part, and then
 * begins with a random number. `run_session` and `part_session` are the database sessions of the last exchanges. A run or a
 * part counts as lost when its heartbeat has not changed for some time. This time is shorter if its database session has ended.
 */
export const SCHEMA = `
BEGIN;
SELECT pg_advisory_xact_lock(hashtextextended('${QUEUE}', 0));
CREATE SCHEMA IF NOT EXISTS ${QUEUE};
CREATE TABLE IF NOT EXISTS ${QUEUE}.part (
  run uuid NOT NULL,
  number integer NOT NULL,
  task bytea,
  run_beat bigint NOT NULL DEFAULT 0,
  part_beat bigint NOT NULL DEFAULT 0,
  run_session integer,
  part_session integer,
  seen timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run, number)
);
CREATE TABLE IF NOT EXISTS ${QUEUE}.message (
  run uuid NOT NULL,
  part integer NOT NULL,
  to_run boolean NOT NULL,
  number bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (run, part, to_run, number),
  FOREIGN KEY (run, part) REFERENCES ${QUEUE}.part ON DELETE CASCADE
);
COMMIT;
`;

/** Side of a connection: the run, or the worker with the part. */
export type Side = 'run' | 'part';
