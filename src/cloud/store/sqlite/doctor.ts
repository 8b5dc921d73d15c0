/** Examines an SQLite file and copies its readable rows into a new one. The examined file is never changed. */
import { renameSync, rmSync, statSync } from 'node:fs';
import type { Database, Statement } from 'better-sqlite3';
import { messageOf, UsageError } from '../../../kernel/errors.js';
import { needReadable } from './access.js';
import { emptyBeside, isTaken } from './backup.js';
import { connect } from './connect.js';
import { contentOf, MIGRATIONS, migrate } from './migrations.js';
import { asUsageError, lossOf } from './open.js';
import { type Row, readTable, TABLES, type Table, type TableFindings } from './salvage.js';
import { readTail, tailPath } from './tail.mjs';
import { isKeyFile, keyPath, storedProof } from './unlock.js';

export interface Examination {
  readonly pages: number;
  /** Findings of the check of pages; empty if all pages are sound. */
  readonly damagedPages: readonly string[];
  /** What the tail file shows to be lost, as a message; undefined if no commit is missing, or if this cannot be known. */
  readonly lostEnd: string | undefined;
  /** Id of the key with which secrets are encrypted; undefined for a file of an earlier version. */
  readonly keyId: string | undefined;
  /** Whether the key file beside the database has this key. */
  readonly hasKeyFile: boolean;
  /** Number of the last commit, from the tail file beside the database; undefined without that file. */
  readonly lastCommit: number | undefined;
  readonly tables: readonly TableFindings[];
}

/** Maximum number of listed findings of the check of pages. */
const MOST = 20;

/** @throws UsageError `bad-database` if nothing can be read */
export function examine(path: string): Examination {
  return withSource(path, (db) => {
    const tail = readTail(path);
    const proof = storedProof(db);
    return {
      keyId: proof?.keyId,
      hasKeyFile: proof !== undefined && isKeyFile(keyPath(path), proof),
      pages: Number(db.pragma('page_count', { simple: true })),
      damagedPages: pagesOf(db),
      lostEnd: tail && versionOf(db) === MIGRATIONS.length ? lossOf(db, path, tail) : undefined,
      lastCommit: tail?.sequence,
      tables: TABLES.filter((table) => exists(db, table)).map((table) => readTable(db, table, () => {})),
    };
  });
}

/** Number of rows of a table after which a copy says how far it is. */
const PART = 20_000;

/**
 * Copies every sound row into a new database `target`, without a tail file. So a service that uses `target` reports no missing
 * commits. Nothing else runs meanwhile, for minutes if the database is large.
 * @param copied called now and then with the number of rows of a table so far
 * @throws UsageError `bad-database`, `target-exists`
 */
export function save(
  path: string,
  target: string,
  copied: (table: string, rows: number) => void = () => {},
): readonly TableFindings[] {
  if ([target, tailPath(target)].some(isTaken)) {
    throw new UsageError('target-exists', `"${target}" or a file beside it exists already`, 'use another name');
  }
  return withSource(path, (db) => {
    const unfinished = emptyBeside(target);
    const copy = connect(unfinished);
    try {
      copy.pragma('foreign_keys = OFF');
      migrate(copy, unfinished, MIGRATIONS.slice(0, versionOf(db)));
      const findings = copy.transaction(() =>
        TABLES.filter((table) => exists(db, table)).map((table) => readTable(db, table, into(copy, table, copied))),
      )();
      copy.close();
      renameSync(unfinished, target);
      return findings;
    } finally {
      copy.close();
      rmSync(unfinished, { force: true });
    }
  });
}

function into(copy: Database, { name }: Table, copied: (table: string, rows: number) => void): (row: Row) => void {
  let insert: Statement<unknown[]> | undefined;
  let rows = 0;
  return (row) => {
    const columns = Object.keys(row);
    insert ??= copy.prepare(
      `INSERT OR IGNORE INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    insert.run(...Object.values(row));
    if (++rows % PART === 0) copied(name, rows);
  };
}

function withSource<T>(path: string, work: (db: Database) => T): T {
  needReadable(path, ['-tail']);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new UsageError('bad-database', `"${path}" is a directory, not a database`);
  const size = found?.size;
  if (size === undefined || size === 0) {
    const tail = readTail(path);
    if (size === undefined && tail === undefined) {
      const hint = 'without a file, doctor checks this machine';
      throw new UsageError('bad-database', `no such database: the file "${path}" does not exist`, hint);
    }
    const had = tail ? `; "${tailPath(path)}" says that it had ${tail.sequence} commits` : '';
    throw new UsageError('bad-database', `"${path}" is missing or empty${had}`, 'restore it from a backup');
  }
  let db: Database | undefined;
  try {
    db = connect(path, { readonly: true, fileMustExist: true });
    if (contentOf(db, path) === 'nothing') throw new UsageError('bad-database', `"${path}" has no contents`);
    return work(db);
  } catch (error) {
    throw asUsageError(path, error, false);
  } finally {
    db?.close();
  }
}

function pagesOf(db: Database): readonly string[] {
  try {
    const rows = db.pragma(`integrity_check(${MOST})`) as readonly { readonly integrity_check: string }[];
    return rows
      .flatMap((row) => row.integrity_check.split('\n'))
      .filter((finding) => finding !== 'ok' && !finding.startsWith('***'));
  } catch (error) {
    return [messageOf(error)];
  }
}

function versionOf(db: Database): number {
  return Math.min(Number(db.pragma('user_version', { simple: true })), MIGRATIONS.length);
}

function exists(db: Database, { name }: Table): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}
