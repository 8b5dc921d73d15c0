/**
 * The thread of page-check.ts: one pass over the pages of a database. Sends the list of findings, empty for a sound file; an
 * error ends the thread.
 *
 * This file is JavaScript, because a thread starts from a file, see writer.mjs.
 */
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

/** Maximum number of findings of one check; a damaged page may cause thousands. */
const MOST = 10;

/** @type {{ readonly path: string }} */
const { path } = workerData;
const db = new BetterSqlite(path, { readonly: true });
const rows = /** @type {readonly { quick_check: string }[]} */ (db.pragma(`quick_check(${MOST})`));
db.close();
// Removes the headline of the first finding, such as `*** in database main ***`.
const findings = rows.map((row) => row.quick_check.replace(/^\*.*\*\n/, '').replaceAll('\n', '; '));
parentPort?.postMessage(findings.filter((finding) => finding !== 'ok'));
