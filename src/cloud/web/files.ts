/** The console's built files, in memory: a request gets only files that were found. Read again after a build. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface ConsoleFile {
  readonly bytes: Buffer;
  /** Absent if compression does not make the file smaller. */
  readonly gzipped: Buffer | undefined;
  /** For the header `Content-Type`. */
  readonly type: string;
  /** For the header `ETag`. */
  readonly tag: string;
}

/** Types by file extension. A file with another extension is not served. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  wasm: 'application/wasm',
  txt: 'text/plain; charset=utf-8',
};

/** The page, by its path in the folder. */
const PAGE = 'index.html';

export class ConsoleFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, ConsoleFile> = new Map();
  #builtAt: number | undefined;

  /** @param folder folder with the built console; it may be missing */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The page of the console; undefined if the console is not built. */
  async page(): Promise<ConsoleFile | undefined> {
    const builtAt = await changeOf(join(this.#folder, PAGE));
    if (builtAt !== this.#builtAt) {
      this.#files = builtAt === undefined ? new Map() : await read(this.#folder);
      this.#builtAt = builtAt;
    }
    return this.#files.get(PAGE);
  }

  /** @param path in the folder, with slashes: `assets/index-4f2a1b3c.js` */
  async file(path: string): Promise<ConsoleFile | undefined> {
    if (this.#builtAt === undefined) await this.page();
    return this.#files.get(path);
  }
}

async function read(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[/\.([a-z0-9]+)$/.exec(entry.name)?.[1] ?? ''];
    // Links are not followed: they could lead out of the folder.
    if (!entry.isFile() || type === undefined) continue;
    const place = join(entry.parentPath, entry.name);
    const bytes = await readFile(place);
    const zipped = gzipSync(bytes);
    const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const gzipped = zipped.length < bytes.length ? zipped : undefined;
    files.set(relative(folder, place).split(sep).join('/'), { bytes, gzipped, type, tag });
  }
  return files;
}

/** Time of the last change of a file; undefined if it does not exist. */
async function changeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.mtimeMs;
}
