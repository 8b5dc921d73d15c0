/**
 * The writer thread of driver.ts. A durable commit waits for the disk, and SQLite blocks its thread meanwhile; so this
 * thread does nothing but write.
 *
 * All batches that have arrived during a transaction form the next transaction. An entry of a batch has the statements of one
 * commit. The response is sent when the transaction is on disk; it lists the rejected entries. The conflict of one entry must
 * not affect the others. An entry whose first statement fails, such as the copy of a message, has written nothing and is
 * skipped. Any other conflict requires a savepoint for each entry. Such conflicts are rare, so savepoints are used only when a
 * transaction is repeated after one.
 *
 * After each transaction, and once a second, the thread checks that the files are still in their place (place.mjs).
 *
 * This file is JavaScript, because a thread starts from a file, and tsx and vitest run the sources without compiling them.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';
import { Place } from './place.mjs';
import { TailFile } from './tail.mjs';

/** @typedef {import('./driver.js').Batch} Batch */
/** @typedef {import('./driver.js').CommitStatements} CommitStatements */
/** @typedef {import('./driver.js').BatchResult} BatchResult */
/** @typedef {import('./failures.js').PlainError} PlainError */
/** @typedef {import('./driver.js').Refusal} Refusal */
/** @typedef {import('./driver.js').WriterData} WriterData */

/** @type {WriterData} */
const { path, pragmas } = workerData;
/** Code of the error if another program has changed the files of the database. */
const DAMAGED = 'DAMAGED';
const db = new BetterSqlite(path);
for (const pragma of pragmas) db.pragma(pragma);

// The cast is safe because the migrations insert the only row.
const { lineage, sequence: opened } = /** @type {import('./tail.mjs').Tail} */ (
  db.prepare('SELECT lineage, sequence FROM soundness').get()
);
const advance = db.prepare('UPDATE soundness SET sequence = ?');
let sequence = opened;
const tail = new TailFile(path);
const place = new Place(path);

/** Interval, in milliseconds, at which the files are checked, also while nothing is written. */
const LOOK_MS = 1000;

/** The SQL texts by their numbers, see Batch. @type {string[]} */
const texts = [];
/** @type {import('better-sqlite3').Statement<unknown[]>[]} */
const prepared = [];

/** The port exists because this file runs only in a thread. */
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
    clearInterval(looking);
    db.close();
    tail.close();
    port.close();
  }
});

const looking = setInterval(() => {
  const damaged = place.trouble();
  if (damaged === undefined) return;
  clearInterval(looking);
  /** @type {BatchResult} */
  const outcome = { batches: 0, lost: { code: DAMAGED, message: damaged } };
  port.postMessage(outcome);
}, LOOK_MS);

/** @param {readonly CommitStatements[]} entries */
function written(entries) {
  try {
    const before = place.troubleOfLog();
    if (before !== undefined) return { lost: { code: DAMAGED, message: before } };
    const refused = writeAll(entries) ?? writeEach(entries);
    // Checked before the commits are acknowledged: they are lost if their files are no longer in the directory.
    const damaged = place.trouble();
    if (damaged !== undefined) return { lost: { code: DAMAGED, message: damaged } };
    noteTail();
    return { refused };
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    return { lost: plain(error) };
  }
}

function noteTail() {
  try {
    tail.write({ lineage, sequence });
  } catch {
    // Ignored: the commits are on disk, and the tail file may be behind them.
  }
}

/** Ends the transaction. Every transaction has a number, see tail.mjs. */
function commit() {
  advance.run(sequence + 1);
  db.exec('COMMIT');
  sequence++;
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
      if (concernsAll(error)) throw error;
      if (done > 0) {
        db.exec('ROLLBACK');
        return undefined;
      }
      refused.push({ index, error: plain(error) });
    }
  }
  commit();
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
      if (concernsAll(error)) throw error;
      db.exec('ROLLBACK TO one');
      refused.push({ index, error: plain(error) });
    }
    db.exec('RELEASE one');
  }
  commit();
  return refused;
}

/** @param {CommitStatements[number]} statement */
function execute([number, values]) {
  let statement = prepared[number];
  if (statement === undefined) {
    // The cast is safe because a text is sent before its number, or together with it.
    statement = db.prepare(/** @type {string} */ (texts[number]));
    prepared[number] = statement;
  }
  statement.run(...values);
}

/** Whether the error concerns the disk or the database, and not only the entry. @param {unknown} error */
function concernsAll(error) {
  // An error such as a full disk has rolled back the whole transaction.
  return !db.inTransaction || /^SQLITE_(CORRUPT|NOTADB|IOERR|FULL|CANTOPEN|READONLY)/.test(plain(error).code);
}

/** The error in a form that can be sent. @param {unknown} error @returns {PlainError} */
function plain(error) {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  return { code: 'code' in error ? String(error.code) : '', message: error.message };
}
