/**
 * Checks that the files of an open database are still the ones that it was opened with. SQLite keeps writing to files that were
 * deleted or replaced: a service would acknowledge commits that disappear when it ends.
 */
import { statSync } from 'node:fs';
import { tailPath } from './tail.mjs';

/** Suffixes of the files of a database that is being written. */
const SUFFIXES = ['', '-wal', '-shm'];

/**
 * @typedef {object} Known
 * @property {string} path
 * @property {number} ino
 * @property {number} size largest size so far
 */

export class Place {
  /** @type {Known[]} */
  #files = [];
  /** @type {string} */
  #log;

  /** Call it when all files exist: after the first read in WAL mode. @param {string} path of the database */
  constructor(path) {
    this.#log = `${path}-wal`;
    for (const each of [...SUFFIXES.map((suffix) => path + suffix), tailPath(path)]) {
      const { ino, size } = statSync(each);
      this.#files.push({ path: each, ino, size });
    }
  }

  /**
   * Checks only the log. Called before a transaction, which could make a shortened log longer again, and so hide the loss.
   * @returns {string | undefined}
   */
  troubleOfLog() {
    return this.trouble(this.#files.filter(({ path }) => path === this.#log));
  }

  /** Describes a change of the files by another program; undefined if none is found. @returns {string | undefined} */
  trouble(files = this.#files) {
    for (const known of files) {
      const now = statSync(known.path, { throwIfNoEntry: false });
      // SQLite soon makes a removed log anew, when it opens the next reader: then it looks replaced.
      if (now?.ino !== known.ino) return `"${known.path}" was removed or replaced while the service was running`;
      // SQLite shortens these files only by VACUUM or a truncating checkpoint, which run before the writer starts (unlock.ts).
      if (now.size < known.size) return `"${known.path}" was shortened while the service was running`;
      known.size = now.size;
    }
    return undefined;
  }
}
