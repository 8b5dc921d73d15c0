/** `ghostfleet demo`: a cloud, a fleet and the console. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet } from '../support/host.js';
import { startDemo } from '../web/demo.js';
import { signIn } from './demo-support.js';

const SMALL = `name: small
seed: 1
duration: 30d
fleet:
  - { name: clime, profile: clime, count: 2, boot: { over: 1m } }
`;

/** Options for a run that starts faster than the packaged scenario. */
function small(): readonly string[] {
  const file = join(folderOfTest(), 'small.yaml');
  writeFileSync(file, SMALL);
  return ['--scenario', file];
}

it.each([[['--open']], [[]]])(
  'the demo at a terminal opens the console in the browser only with --open: options %j',
  async (flags) => {
    const opened: string[] = [];
    const { err } = await ghostfleet(['demo', ...small(), ...flags], {
      ...{ terminal: {}, interruptOn: /console at \S+ / },
      browser: (address) => opened.push(address),
    });
    const [, link] = /console at (\S+)/.exec(err) ?? [];
    expect(opened).toEqual(flags.length === 0 ? [] : [link]);
  },
);

it.each([
  [[], 'small: 2 devices, 60 times as fast as real time; Ctrl-C ends the demo\n'],
  [['--speed', '1'], 'small: 2 devices, in real time; Ctrl-C ends the demo\n'],
  [['--speed', '0.5'], 'small: 2 devices, 0.5 times as fast as real time; Ctrl-C ends the demo\n'],
])('the demo with %j first says what runs, how fast, and how to end it', async (flags, line) => {
  const { err } = await ghostfleet(['demo', ...small(), ...flags], { interruptOn: /console at \S+ / });
  expect(err.slice(err.indexOf('small:'), line.length)).toBe(line);
});

describe('the options of the demo', () => {
  const untilOpen = { interruptOn: /console at \S+ / };

  it('--scenario and --seed choose the run, which can go back to an earlier moment and has no tour', async () => {
    const demo = await startDemo('/nowhere', [...small(), '--seed', '7']);
    const { cookie } = await signIn(demo.link);
    const { origin, search } = new URL(demo.link);
    const state = JSON.parse(await (await fetch(`${origin}/run`, { headers: { cookie } })).text());
    expect({ ...state, search }).toMatchObject({
      name: 'small',
      seed: 7,
      devices: 2,
      speed: 60,
      travels: true,
      search: '',
    });
    expect((await demo.end()).exit).toBe(0);
  });

  it('--port chooses the port of the console, and an occupied one is an error', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as { port: number };
    const busy = await ghostfleet(['demo', ...small(), '--port', String(port)], untilOpen);
    expect(busy).toMatchObject({
      ...{ exit: 2, out: '' },
      err: expect.stringContaining(`cannot open port ${port} on "127.0.0.1": another process uses it`),
    });
    await new Promise((resolve) => blocker.close(resolve));
    const free = await ghostfleet(['demo', ...small(), '--port', String(port)], untilOpen);
    expect([free.exit, free.err]).toEqual([0, expect.stringContaining(`http://127.0.0.1:${port}/#token=`)]);
  });

  it('--host 0.0.0.0 warns that other machines can reach the console', async () => {
    const { err } = await ghostfleet(['demo', ...small(), '--host', '0.0.0.0'], untilOpen);
    expect(err).toMatch(/^warning: other machines can reach the console .*only this machine controls the run\n/);
    const quiet = await ghostfleet(['demo', ...small(), '--host', 'localhost'], untilOpen);
    expect(quiet.err).not.toContain('warning');
  });

  it.each([
    [['--host', '10.0.0.1'], '--host "10.0.0.1" is not 127.0.0.1, localhost, ::1, 0.0.0.0 or ::'],
    [['--port', '70000'], '--port "70000" is not a port number from 0 to 65535'],
    [['--scenario', 'no-such'], 'no packaged scenario has this name'],
    [['--seed', '-1'], '--seed "-1" is not a whole number'],
  ])('%j is an error', async (flags, sentence) => {
    const { exit, err } = await ghostfleet(['demo', ...flags]);
    expect([exit, err]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
