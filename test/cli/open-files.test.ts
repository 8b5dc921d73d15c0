import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { program } from '../../scripts/support/serve-process.js';
import { checkOpenFiles } from '../../src/cli/open-files.js';

const limits = (most: number | string) =>
  `Limit                     Soft Limit           Hard Limit           Units     \n` +
  `Max open files            ${String(most).padEnd(20)} 524288               files     \n`;

it.each([64, 255])('a limit of %i open files is too low, and the message says how to raise it', (most) => {
  expect(() => checkOpenFiles(limits(most))).toThrow(
    expect.objectContaining({
      code: 'open-files',
      message: `the limit of open files is ${most}; at least 256 are required`,
      hint: expect.stringContaining('ulimit -n 4096'),
    }),
  );
});

it.each([limits(256), limits(1_048_576), limits('unlimited'), ''])('other limits are accepted: %j', (text) => {
  expect(() => checkOpenFiles(text)).not.toThrow();
});

it.runIf(process.platform === 'linux')('serve ends with this message instead of a missing module', () => {
  const start = `ulimit -n 64; exec ${process.execPath} ${program()} serve --db memory --port 0`;
  const { status, stderr } = spawnSync('bash', ['-c', start], { encoding: 'utf8' });
  expect([status, stderr.split('\n')[0]]).toEqual([
    2,
    'ghostfleet: the limit of open files is 64; at least 256 are required',
  ]);
});
