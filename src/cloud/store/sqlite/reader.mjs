/**
 * The thread of reader.ts: executes queries that may read many rows, one after another, on a connection of its own.
 *
 * This file is JavaScript, because a thread starts from a file, see writer.mjs.
 */
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

/** @typedef {import('./reader.js').Question} Question */
/** @typedef {import('./reader.js').Reply} Reply */

/** @type {{ readonly path: string }} */
const { path } = workerData;
const db = new BetterSqlite(path, { readonly: true });
db.pragma('cache_size = -16000');

/** @type {Map<string, import('better-sqlite3').Statement<unknown[]>>} */
const prepared = new Map();

/** @param {Question} question @returns {Reply} */
function answer({ text, values }) {
  try {
    let statement = prepared.get(text);
    if (statement === undefined) {
      statement = db.prepare(text);
      prepared.set(text, statement);
    }
    return { rows: statement.all(...values) };
  } catch (error) {
    if (!(error instanceof Error)) return { error: { code: '', message: String(error) } };
    return { error: { code: 'code' in error ? String(error.code) : '', message: error.message } };
  }
}

parentPort?.on('message', (/** @type {Question} */ question) => parentPort?.postMessage(answer(question)));
