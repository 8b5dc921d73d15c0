import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readText } from '../../src/input/text-file.js';
import { UsageError } from '../../src/kernel/errors.js';

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-text-'));
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(content: string | Uint8Array): string {
  const path = join(directory, 'file');
  writeFileSync(path, content);
  return path;
}

describe('the text of a file', () => {
  it.each(['', 'teplota [°C]\r\n', '\uFEFFa: 1'])('%j is returned unchanged', async (text) => {
    expect(await readText(fileOf(text))).toBe(text);
  });

  it.each([
    ['in another encoding', Buffer.from('teplota [°C]', 'latin1')],
    ['with two bytes for each character', Buffer.from('name: x', 'utf16le')],
    ['of a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])],
  ])('%s is rejected with one sentence', async (_, content) => {
    const path = fileOf(content);
    await expect(readText(path)).rejects.toThrow(
      new UsageError('cannot-read', `"${path}" cannot be read: it is not UTF-8 text`),
    );
  });

  it('of a database is rejected with what to use instead', async () => {
    const path = fileOf(Buffer.from('SQLite format 3\0\x10'));
    await expect(readText(path)).rejects.toThrow(
      'it is an SQLite database; use the folder of the run, or for a service, what "ghostfleet record" writes',
    );
  });
});
