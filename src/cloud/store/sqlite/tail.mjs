/**
 * The file `<path>-tail` beside an SQLite database: the number of the last transaction that is on disk. SQLite cannot notice
 * that the end of its write-ahead log is lost, because a shorter log is a valid log; the number in this file reveals the loss.
 *
 * The writer thread (writer.mjs) writes the file after the disk sync of a transaction, without a sync of its own. So after a
 * crash of the machine, the file may be behind the database. It is ahead of the database only if transactions are lost.
 *
 * This file is JavaScript, because the writer thread is. It opens no file of SQLite, because closing such a file would release
 * the locks of the process.
 */
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/**
 * A place in the history of a database.
 * @typedef {object} Tail
 * @property {string} lineage identity of the database, 16 hex digits
 * @property {number} sequence number of its last transaction; messages to users call it a commit
 */

const MAGIC = 'gfltail1';
/** Bytes of magic, lineage, sequence and a checksum of these three. */
const SIZE = 28;

/** @param {string} path of the database */
export function tailPath(path) {
  return `${path}-tail`;
}

/** @param {Tail} tail @returns {Buffer} */
function encode({ lineage, sequence }) {
  const bytes = Buffer.alloc(SIZE);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.write(lineage, 8, 'hex');
  bytes.writeBigUInt64BE(BigInt(sequence), 16);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 24)), 24);
  return bytes;
}

/**
 * Reads the file. Returns undefined if it does not exist or is incomplete: then the number of the last transaction is unknown.
 * @param {string} path of the database
 * @returns {Tail | undefined}
 */
export function readTail(path) {
  /** @type {Buffer} */
  let bytes;
  try {
    bytes = readFileSync(tailPath(path));
  } catch {
    return undefined;
  }
  const isComplete =
    bytes.length === SIZE &&
    bytes.toString('latin1', 0, 8) === MAGIC &&
    bytes.readUInt32BE(24) === crc32(bytes.subarray(0, 24));
  if (!isComplete) return undefined;
  return { lineage: bytes.toString('hex', 8, 16), sequence: Number(bytes.readBigUInt64BE(16)) };
}

/** The open file of a writer. */
export class TailFile {
  /** @type {number} */
  #file;

  /** Creates the file if it does not exist; readable by its owner only. @param {string} path of the database */
  constructor(path) {
    this.#file = openSync(tailPath(path), constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
  }

  /** @param {Tail} tail */
  write(tail) {
    writeSync(this.#file, encode(tail), 0, SIZE, 0);
  }

  close() {
    closeSync(this.#file);
  }
}
