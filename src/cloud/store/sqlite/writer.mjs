/**
 * The writer thread of driver.ts. A durable commit waits for the disk, and SQLite blocks its thread meanwhile; so this
 * thread does nothing but write.
 *
 * All batches that have arrived during a transaction form the next one. The response is sent when the transaction is on
 * disk; it lists the rejected entries. The conflict of one entry must not affect the others. An entry whose first statement
 * fails, such as the copy of a message, has written nothing and is skipped. Any other conflict requires a savepoint for each
 * entry; such conflicts are rare, so that a transaction is repeated with savepoints only after one.
 *
 * This file is JavaScript, because a thread starts from a file, and tsx and vitest run the sources without compiling them.
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

/** Because this file runs only in a thread. */
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
 * Writes all entries except those whose first statement fails, and returns the failures; undefined if another statement has
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
        execute(statement);
        done++;
      }
    } catch (error) {
      // An error such as a full disk has rolled back the whole transaction.
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

/**
 * Writes all entries except those with a statement that fails, and returns the failures.
 * @param {readonly CommitStatements[]} entries
 */
function writeEach(entries) {
  /** @type {Refusal[]} */
  const refused = [];
  db.exec('BEGIN IMMEDIATE');
  for (const [index, entry] of entries.entries()) {
    db.exec('SAVEPOINT one');
    try {
      for (const statement of entry) execute(statement);
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
function execute([number, values]) {
  let statement = prepared[number];
  if (statement === undefined) {
    // Because a text is sent before its number, or together with it.
    statement = db.prepare(/** @type {string} */ (texts[number]));
    prepared[number] = statement;
  }
  statement.run(...values);
}

/** The error in a form that can be sent. @param {unknown} error @returns {PlainError} */
function plain(error) {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  return { code: 'code' in error ? String(error.code) : '', message: error.message };
}
