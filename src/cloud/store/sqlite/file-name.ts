/**
 * Names of SQLite files. SQLite and its driver give some names another meaning than that of a file. A named pipe at or beside
 * such a name is rejected, because opening it would wait for its writer without an end.
 */
import { lstatSync, readFileSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../../../kernel/errors.js';
import { shownCommand } from '../../../kernel/web-address.js';
import { isSpecial } from '../../../kernel/write-files.js';

/** Files that belong to a database, beside it. */
const COMPANION = /-(wal|shm|journal|key|owner|tail)$/;
/** The ends of the names of a database and of all files beside it. */
const ENDS = ['', '-wal', '-shm', '-journal', '-key', '-key-next', '-owner', '-tail', '-run'];
/** Bytes. File systems permit 255; the longest name beside a database is that of a new key while it is written. */
const LONGEST_NAME = 255 - '-key-next-0123456789ab.unfinished'.length;
/** Maximum number of links that are followed, as in Linux. */
const MOST_LINKS = 40;

/**
 * The file of a database: behind symbolic links, which SQLite follows, also if it does not exist yet. All files beside the
 * database are beside this file.
 * @throws UsageError `bad-database` for a name that would not be that of a database file
 */
export function databaseFile(path: string): string {
  checkFileName(path);
  const file = behindLinks(path);
  if (file !== path) checkFileName(file);
  checkHardLinks(file);
  checkMount(file);
  return file;
}

function behindLinks(path: string): string {
  let file = path;
  for (let links = 0; isLink(file); links++) {
    if (links === MOST_LINKS) throw new UsageError('bad-database', `"${path}" is a link that leads in a circle`);
    file = resolve(realpathSync(dirname(file)), readlinkSync(file));
  }
  return file;
}

function isLink(path: string): boolean {
  return found(path)?.isSymbolicLink() ?? false;
}

function found(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // Not reported here: the caller opens the file next, and reports why that fails.
    return undefined;
  }
}

/**
 * What may be a mistyped address of PostgreSQL, with a password: a URL without its scheme, settings such as `host=…` or
 * `Password=…;`, variables such as `PGPASSWORD=…`, or a line of `.pgpass`.
 */
const ADDRESS =
  /:\/\/|^[^:]*:.*@|(?:^|[\s;?&])(?:host|hostaddr|server|data source|port|dbname|database|user|user id|uid|username|password|pwd|passfile|service|sslmode|pg[a-z]+)\s*=|^(?:[^:]*:){4}/i;

/** @throws UsageError `bad-database` for a name that is not that of a database file, or if a pipe or device is in its place */
function checkFileName(path: string): void {
  if (/^\/\/[^/]*@/.test(path) || (!/^[./\\]/.test(path) && ADDRESS.test(path))) {
    throw new UsageError(
      'bad-database',
      'the database (hidden) is not the path of a file, and not the address of a PostgreSQL database',
      'expected postgres://user:password@host:5432/database; a path with these characters begins with "./" or "/"',
    );
  }
  const why = reason(path);
  if (why) throw new UsageError('bad-database', `"${path}" is not the path of a database file: ${why[0]}`, why[1]);
  const special = ENDS.map((end) => path + end).find(isSpecial);
  if (special !== undefined) throw new UsageError('bad-database', `"${special}" is not a regular file`);
}

/**
 * Rejects a file with hard links. Its log and its lock are beside the name with which a service has opened it: with another
 * name, the last commits are missing, and a second service writes to the same file.
 * @throws UsageError `bad-database`
 */
function checkHardLinks(path: string): void {
  for (const file of [path, `${path}-wal`]) {
    const there = found(file);
    if (!there?.isFile() || there.nlink < 2) continue;
    throw new UsageError(
      'bad-database',
      `"${file}" has ${there.nlink} names (hard links), and its last commits may be beside another one`,
      'keep the name that the service was started with, and remove the others: ' +
        `\`${shownCommand(['find', dirname(file), '-samefile', file])}\` lists those in and below this folder. ` +
        'To copy a database, use `ghostfleet backup`',
    );
  }
}

/**
 * Rejects a file that is mounted alone, as with `docker run -v ./cloud.db:/data/cloud.db`. The log and the key would be beside the
 * place of the mount, and be lost with the container.
 * @throws UsageError `bad-database`
 */
function checkMount(path: string): void {
  if (found(path)?.isFile() !== true || !mountPoints().has(realpathSync(path))) return;
  throw new UsageError(
    'bad-database',
    `"${path}" is mounted without its folder, so the files beside it, such as its log and its key, are in another place`,
    'mount the folder of the database instead',
  );
}

/** The paths at which this process sees mounts; empty on systems other than Linux. */
function mountPoints(): ReadonlySet<string> {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    // Blanks in paths are written as octal numbers.
    const unescaped = (path: string) =>
      path.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
    return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')));
  } catch {
    return new Set();
  }
}

/** What is wrong with a name, and what to write instead. */
function reason(path: string): readonly [why: string, hint: string] | undefined {
  if (path.trim() === '') return ['it is empty', 'expected the path of a file, such as "ghostfleet.db"'];
  if (path !== path.trim()) return ['it has blanks at its beginning or end', `write "${path.trim()}"`];
  if (path === '-') return ['it does not mean a stream', 'write "./-"'];
  if (path.startsWith(':')) {
    return ['SQLite gives names that begin with ":" another meaning', `write "memory" to keep no data, or "./${path}"`];
  }
  if (/^[a-z][a-z\d+.-]*:/i.test(path)) {
    return ['it is an address', 'write the path alone, such as "ghostfleet.db", or "memory" to keep no data'];
  }
  if (path !== 'memory' && /^memory$/i.test(path))
    return ['it is written with small letters', `write "memory", or "./${path}"`];
  const length = Buffer.byteLength(basename(path));
  if (length > LONGEST_NAME) {
    return [
      `its name has ${length} bytes, and the files beside it have longer names`,
      `choose a name of at most ${LONGEST_NAME} bytes`,
    ];
  }
  const companion = COMPANION.exec(path);
  if (companion === null) return undefined;
  return [
    `files that end in "${companion[0]}" belong to another database`,
    `write "${path.slice(0, companion.index)}"`,
  ];
}
