/**
 * Opens a page in the browser of the user: a file, or an address with a one-time token. Other users of the machine can read the
 * arguments of all programs, so the browser gets the path of a page that only this user may read, and the page leads to the
 * address.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PRIVATE } from '../kernel/private-file.js';

/** The program that opens a file, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // Not `start`: a shell would interpret an `&` in the path.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * If no browser can be started, does nothing: the command prints the address, too.
 * @param atExit registers a function that removes the page
 * @param folders where the page may be, in the order of preference: a browser in a sandbox often cannot read temporary files
 */
export function openBrowser(
  address: string,
  atExit: (remove: () => void) => void,
  folders: readonly string[] = ownFolders(),
  opener = openPage,
): void {
  if (address.startsWith('file:')) return opener(fileURLToPath(address));
  const folder = findFirst(folders);
  if (folder === undefined) return;
  const page = join(folder, 'open.html');
  writeFileSync(page, writeRedirect(address), { mode: PRIVATE.file, flag: 'wx' });
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  opener(page);
}

/** A user without a name, as in a container, has no home unless HOME names it. */
function ownFolders(): readonly string[] {
  try {
    return [homedir(), tmpdir()];
  } catch {
    return [tmpdir()];
  }
}

/** A new folder that only its owner may read, in the first of the folders in which one can be made. */
function findFirst(folders: readonly string[]): string | undefined {
  for (const each of folders) {
    try {
      return mkdtempSync(join(each, 'ghostfleet-'));
    } catch {
      // The next folder may be writable.
    }
  }
  return undefined;
}

/** A page that leads to an address, also without scripts. */
function writeRedirect(address: string): string {
  const text = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${text}"><a href="${text}">ghostfleet</a>\n`;
}

function openPage(page: string): void {
  const [program, ...args] = OPENERS[platform()] ?? ['xdg-open'];
  const opening = spawn(program, [...args, page], { detached: true, stdio: 'ignore' });
  opening.on('error', () => {});
  opening.unref();
}
