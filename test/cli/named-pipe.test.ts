/** Named pipes in place of files: a signal must be able to end the wait for a writer. */
import { execFileSync, spawn } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readText } from '../../src/input/text-file.js';
import { profileNamed } from '../../src/profile/library.js';
import { ghostfleet, type Outcome } from '../support/host.js';

const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-pipe-'));
const pipe = join(folder, 'pipe.yaml');
execFileSync('mkfifo', [pipe]);
const small = join(folder, 'small.yaml');
writeFileSync(small, 'name: small\nduration: 10m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n');
// A read that blocks this thread would block the test run as well; this writer ends it, and the test fails.
const rescue = spawn('sh', ['-c', `sleep 60; echo > ${pipe}`]);
afterAll(() => {
  rescue.kill();
  rmSync(folder, { recursive: true });
});

describe('a command that waits for the writer of a named pipe has no handler, so that a signal ends the process', () => {
  it.each([
    'run PIPE',
    'validate PIPE',
    'plan PIPE',
    'shrink PIPE',
    'what-if PIPE',
    'explain PIPE',
    'fit PIPE',
    'replay PIPE',
    'profile check PIPE',
    'profile show PIPE --resolved',
    'profile new coldroom.yaml --from PIPE',
  ])('%s', async (words) => {
    const args = words.replace('PIPE', pipe).split(' ');
    let ended: Promise<Outcome> | undefined;
    const handlers = await new Promise((begun) => {
      ended = ghostfleet(args, { begun });
    });
    expect(handlers).toBe(0);
    await writeFile(pipe, Buffer.from([0]));
    expect(await ended).toMatchObject({ exit: 2, err: expect.stringContaining('it is not UTF-8 text') });
  });
});

it.each([
  ['run', ['run', small]],
  ['device', ['device', 'clime', '--serial', '2159017985', '--token', '0'.repeat(32), '--for', '1s']],
  ['serve', ['serve', '--db', 'memory', ...['--port', '--udp-port', '--udp-raw-port'].flatMap((port) => [port, '0'])]],
])('%s waits for the reader of a capture without a handler of signals, and writes all of it', async (name, args) => {
  const capture = join(folder, `${name}.pcapng`);
  execFileSync('mkfifo', [capture]);
  let stop = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let ended: Promise<Outcome> | undefined;
  const handlers = await new Promise((begun) => {
    ended = ghostfleet([...args, '--capture', capture], { begun, interruptWhen });
  });
  expect(handlers).toBe(0);
  const parts: Buffer[] = [];
  for await (const part of createReadStream(capture)) {
    parts.push(part);
    stop();
  }
  expect(Buffer.concat(parts).readUInt32LE()).toBe(0x0a0d0d0a);
  expect((await ended)?.err).not.toContain('cannot write');
});

it('the text of a pipe is read up to its end', async () => {
  const read = readText(pipe);
  await writeFile(pipe, 'name: x\n'.repeat(20_000));
  expect(await read).toHaveLength(160_000);
});

describe('a named pipe is not waited for', () => {
  it('as a device type', () => {
    expect(() => profileNamed(pipe)).toThrow(`"${pipe}" cannot be read: it is not a regular file`);
  });

  it('as a file that a device type extends', async () => {
    const file = join(folder, 'own.yaml');
    writeFileSync(file, 'extends: pipe.yaml\n');
    expect((await ghostfleet(['profile', 'check', file])).err).toContain('it is not a regular file');
  });

  it('as a file that is named on a console', async () => {
    const typed = [`.replay hygrometer ${pipe}`, '.quit'];
    const args = ['device', 'clime', '--serial', '2159017985', '--token', '0'.repeat(32), '--quiet'];
    const { out } = await ghostfleet(args, { typed, terminal: {} });
    expect(out).toContain('it is not a regular file');
  });
});
