/**
 * The far side of sqlite.ts: a thread that writes. Being durable means waiting for the disk, and SQLite waits by standing
 * still; here, nobody else stands still with it.
 *
 * A batch comes in as one message and is written as one transaction. The answer is sent when that is on the disk; it says
 * which entries were refused. The conflict of one entry must leave the others alone, which takes a savepoint for
 * each. Conflicts are rare: a batch is tried without, and done over with savepoints when something in it fails.
 *
 * A file of JavaScript, because a thread is started from a file, and where the sources run as they are (tsx, vitest) there
 * is no other.
 */
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

/** @typedef {import('./sqlite.js').Batch} Batch */
/** @typedef {import('./sqlite.js').Outcome} Outcome */
/** @typedef {import('./sqlite.js').PlainError} PlainError */
/** @typedef {import('./sqlite.js').WriterData} WriterData */

/** @type {WriterData} */
const { path, pragmas } = workerData;
const db = new BetterSqlite(path);
for (const pragma of pragmas) db.pragma(pragma);

/** @type {Map<string, import('better-sqlite3').Statement<unknown[]>>} */
const prepared = new Map();

/** @param {string} text */
function statement(text) {
  let found = prepared.get(text);
  if (found === undefined) {
    found = db.prepare(text);
    prepared.set(text, found);
  }
  return found;
}

/** @param {string} text */
const run = (text) => statement(text).run();

parentPort?.on('message', (/** @type {Batch} */ batch) => {
  if (batch === null) {
    db.close();
    parentPort?.close();
  } else parentPort?.postMessage(written(batch));
});

/** @param {NonNullable<Batch>} batch @returns {Outcome} */
function written(batch) {
  try {
    if (wroteAll(batch)) return { refused: [] };
    run('BEGIN IMMEDIATE');
    const refused = batch.flatMap((entry, index) => {
      const error = attempt(entry);
      return error === undefined ? [] : [{ index, error }];
    });
    run('COMMIT');
    return { refused };
  } catch (error) {
    if (db.inTransaction) run('ROLLBACK');
    return { lost: plain(error) };
  }
}

/** Writes the batch if nothing in it fails. @param {NonNullable<Batch>} batch */
function wroteAll(batch) {
  try {
    run('BEGIN IMMEDIATE');
    for (const entry of batch) for (const { text, values } of entry) statement(text).run(...values);
    run('COMMIT');
    return true;
  } catch {
    if (db.inTransaction) run('ROLLBACK');
    return false;
  }
}

/** Carries out one entry, or nothing of it; returns why not. @param {NonNullable<Batch>[number]} entry */
function attempt(entry) {
  run('SAVEPOINT one');
  try {
    for (const { text, values } of entry) statement(text).run(...values);
    run('RELEASE one');
    return undefined;
  } catch (error) {
    // A full disk and the like end the transaction by themselves, and with it what the others wrote.
    if (!db.inTransaction) throw error;
    run('ROLLBACK TO one');
    run('RELEASE one');
    return plain(error);
  }
}

/** An error as it can be sent. @param {unknown} error @returns {PlainError} */
function plain(error) {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  return { code: 'code' in error ? String(error.code) : '', message: error.message };
}
