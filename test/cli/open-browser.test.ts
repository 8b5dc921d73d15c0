/** The page by which a browser gets an address with a token. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openBrowser } from '../../src/cli/open-browser.js';

const home = mkdtempSync(join(tmpdir(), 'home-'));
afterAll(() => rmSync(home, { recursive: true }));

/** Opens an address; returns the argument of the browser. */
function opened(address: string, folders: readonly string[], atExit: (remove: () => void) => void = () => {}): string {
  let argument = '';
  openBrowser(address, atExit, folders, (page) => {
    argument = page;
  });
  return argument;
}

it('the argument of the browser is a page that only its owner may read, and that leads to the address', () => {
  const page = opened('http://127.0.0.1:1/console#token=secret', [home]);
  expect(page).not.toContain('secret');
  expect(statSync(page).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(page)).mode & 0o777).toBe(0o700);
  expect(readFileSync(page, 'utf8')).toContain('content="0;url=http://127.0.0.1:1/console#token=secret"');
});

it('the page is removed at the end of the program', () => {
  let remove = () => {};
  const page = opened('http://x', [home], (ended) => {
    remove = ended;
  });
  remove();
  expect(existsSync(dirname(page))).toBe(false);
});

it('the page is in the next folder if the first one cannot be written', () => {
  expect(opened('http://x', [join(home, 'missing'), home]).startsWith(home)).toBe(true);
});

it('nothing is opened without a folder', () => {
  expect(opened('http://x', [join(home, 'missing')])).toBe('');
});
