/** Further tests beside commands.test.ts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argumentsOf, missingLines } from '../../scripts/docs/commands.js';
import { filesOf } from '../../scripts/docs/files.js';
import { ghostfleet } from '../support/host.js';
import { cheap, placeOf } from './commands-support.js';

describe('the commands of the documents', () => {
  it.each([...cheap])('of %s that take only milliseconds end and print as promised', async (page, list) => {
    const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-commands-'));
    try {
      const files = filesOf(page);
      for (const [name, content] of files) writeFileSync(join(folder, name), content);
      for (const command of list) {
        const args = (argumentsOf(command) ?? []).map((word) =>
          files.has(word) || /^runs\/|\.(html|md)$/.test(word) ? join(folder, word) : word,
        );
        const { exit, out, err } = await ghostfleet(args);
        expect({ place: placeOf(command), exit, err: exit === command.exitCode ? '' : err }).toEqual({
          ...{ place: placeOf(command), exit: command.exitCode, err: '' },
        });
        expect(missingLines(command.printed, `${out}${err}`.replaceAll(`${folder}/`, ''))).toEqual([]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
