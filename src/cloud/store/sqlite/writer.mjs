/**
 * The far side of sqlite.ts: a thread that writes. Being durable means waiting for the disk, and SQLite waits by standing
 * still; here, nobody else stands still with it.
 *
 * The batches that have come in meanwhile are written as one transaction. The answer is sent when that is on the disk; it says
 * which entries were refused. The conflict of one entry must leave the others alone. One whose first statement fails, such
 * as the copy of a message, has written nothing and is passed over. For any other conflict it would take a savepoint for
 * each entry: those are rare, and a batch is only done over with savepoints when there is one.
 *
 * A file of JavaScript, because a thread is started from a file, and where the sources run as they are (tsx, vitest) there
 * is no other.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

/** @typedef {import('./driver.js').Batch} Batch */
/** @typedef {import('./driver.js').CommitStatements} CommitStatements */
/** @typedef {import('./driver.js').BatchResult} BatchResult */
/** @typedef {import('./driver.js').PlainError} PlainError */
/** @typedef {import('./driver.js').Refusal} Refusal */
/** @typedef {import('./driver.js').WriterData} WriterData */

/** @type {WriterData} */
const { path, pragmas } = workerData;
const db = new BetterSqlite(path);
for (const pragma of pragmas) db.pragma(pragma);

/** By number, see Batch. @type {string[]} */
const texts = [];
/** @type {import('better-sqlite3').Statement<unknown[]>[]} */
const prepared = [];

/** Because this file is only run in a thread. */
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

port.on('message', (/** @type {Batch | null} */ first) => {
  /** @type {CommitStatements[]} */
  const entries = [];
  let batches = 0;
  /** @type {Batch | null | undefined} */
  let batch = first;
  for (; batch; batch = receiveMessageOnPort(port)?.message) {
    texts.push(...batch.texts);
    entries.push(...batch.entries);
    batches++;
  }
  if (batches > 0) {
    /** @type {BatchResult} */
    const outcome = { batches, ...written(entries) };
    port.postMessage(outcome);
  }
  if (batch === null) {
    db.close();
    port.close();
  }
});

/** @param {readonly CommitStatements[]} entries */
function written(entries) {
  try {
    return { refused: writeAll(entries) ?? writeEach(entries) };
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    return { lost: plain(error) };
  }
}

/**
 * Writes the entries but for those whose first statement fails, and returns these; undefined when another statement has
 * failed: then nothing is written. @param {readonly CommitStatements[]} entries
 */
function writeAll(entries) {
  /** @type {Refusal[]} */
  const refused = [];
  db.exec('BEGIN IMMEDIATE');
  for (const [index, entry] of entries.entries()) {
    let done = 0;
    try {
      for (const statement of entry) {
        carryOut(statement);
        done++;
      }
    } catch (error) {
      // A full disk and the like end the transaction by themselves, and with it what the others wrote.
      if (!db.inTransaction) throw error;
      if (done > 0) {
        db.exec('ROLLBACK');
        return undefined;
      }
      refused.push({ index, error: plain(error) });
    }
  }
  db.exec('COMMIT');
  return refused;
}

/** Writes the entries but for those of which any statement fails, and returns these. @param {readonly CommitStatements[]} entries */
function writeEach(entries) {
  /** @type {Refusal[]} */
  const refused = [];
  db.exec('BEGIN IMMEDIATE');
  for (const [index, entry] of entries.entries()) {
    db.exec('SAVEPOINT one');
    try {
      for (const statement of entry) carryOut(statement);
    } catch (error) {
      if (!db.inTransaction) throw error;
      db.exec('ROLLBACK TO one');
      refused.push({ index, error: plain(error) });
    }
    db.exec('RELEASE one');
  }
  db.exec('COMMIT');
  return refused;
}

/** @param {CommitStatements[number]} statement */
function carryOut([number, values]) {
  let statement = prepared[number];
  if (statement === undefined) {
    // Because a text is sent before its number is, or with it.
    statement = db.prepare(/** @type {string} */ (texts[number]));
    prepared[number] = statement;
  }
  statement.run(...values);
}

/** An error as it can be sent. @param {unknown} error @returns {PlainError} */
function plain(error) {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  return { code: 'code' in error ? String(error.code) : '', message: error.message };
}
