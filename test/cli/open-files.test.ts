/** The check of the limit of open files, which the program makes at its start. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { program } from '../../scripts/support/program.js';
import { checkOpenFiles } from '../../src/cli/start-checks.js';

const limits = (most: number | string) =>
  `Limit                     Soft Limit           Hard Limit           Units     \n` +
  `Max open files            ${String(most).padEnd(20)} 524288               files     \n`;

it.each([64, 255])('a limit of %i open files is too low, and the message says how to raise it', (most) => {
  expect(checkOpenFiles(limits(most))?.text).toBe(
    `ghostfleet: the limit of open files is ${most}; at least 256 are required\n` +
      'raise it, for example with "ulimit -n 4096"; a service needs one file for each connection\n',
  );
});

it.each([limits(256), limits(1_048_576), limits('unlimited'), ''])(
  'a limit of 256 or more open files, and an unknown limit, are accepted: %j',
  (text) => {
    expect(checkOpenFiles(text)).toBeUndefined();
  },
);

it.runIf(process.platform === 'linux').each([32, 64])('for a limit of %i, serve ends with a message', (most) => {
  const start = `ulimit -n ${most}; exec ${process.execPath} ${program()} serve --db memory --port 0`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', start], { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([2, '', checkOpenFiles(limits(most))?.text]);
});
