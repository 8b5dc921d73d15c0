/** Further tests beside diverge-shrink.test.ts. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { directory, file, hopeless, PLANTED, reduced } from './diverge-shrink-support.js';

afterAll(() => rmSync(directory, { recursive: true }));

describe('ghostfleet shrink', () => {
  it('has the same result with one worker and with three', async () => {
    // `test/scenario/shrink` tests further numbers of simultaneous attempts.
    const four = file('four.yaml', hopeless(4));
    expect(await reduced('3', four)).toEqual(await reduced('1', four));
  }, 60_000);

  it('reduces a scenario whose expectation about numbers is not met', async () => {
    const text = `name: quick
duration: 10m
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 60 } }]
network: { faults: [{ outage: both, from: 4m }] }
steps:
  - { at: 5m, to: clime/2, commands: [info show] }
expect: [downlink.delivered == downlink.queued]
`;
    const { exit, err } = await ghostfleet(['shrink', file('quick.yaml', text), '--workers', '1', '--budget', '1d']);
    expect(exit).toBe(0);
    expect(readFileSync(join(directory, 'quick-small.yaml'), 'utf8')).toContain(
      '- { at: 5m, commands: [ info show ] }',
    );
    expect(err).toMatch(/^ +1 try {4}of "clime" only device 2$/m);
  }, 60_000);

  /** Reduces a scenario with one worker, and returns the text of the result. */
  async function small(name: string, text: string): Promise<string> {
    const { exit, err } = await ghostfleet(['shrink', file(`${name}.yaml`, text), '--workers', '1', '--budget', '1d']);
    expect([exit, exit === 0 ? '' : err]).toEqual([0, '']);
    return readFileSync(join(directory, `${name}-small.yaml`), 'utf8');
  }

  it.each([
    [
      'within',
      'device.ready == fleet.devices, within: 5m',
      /step 1, .*: waited 5m for "device.ready == fleet.devices"; device.ready is 0, .* which is 1/,
    ],
    [
      'unlimited',
      'device.ready == fleet.devices',
      /step 1, .*: waited until the end of the scenario for "device.ready == fleet.devices"; device.ready is 0,/,
    ],
  ])(
    'keeps the condition for which a step waited in vain, and its limit: %s',
    async (name, after, failure) => {
      const text = await small(
        name,
        `name: waits
duration: 20m
fleet: [{ name: aa, profile: clime, count: 1 }]
network: { faults: [{ outage: up }] }
steps:
  - { after: ${after}, config: { interval-report: 1200 } }
  - { after: device.updated == 1, commands: [info show] }
`,
      );
      expect(text).toMatch(failure);
      expect(text).toContain('outage: up');
      expect(text).toContain(`- { after: ${after}, `);
      if (name === 'unlimited') expect(text).toContain('duration: 20m');
      else expect(text).toMatch(/duration: (5|10)m/);
      const again = await ghostfleet(['run', file('again.yaml', text)]);
      expect(again.out.replaceAll('\n', ' ')).toMatch(failure);
    },
    60_000,
  );

  it('writes one try in the singular', async () => {
    const { err } = await ghostfleet(['shrink', file('two.yaml', hopeless(2)), '--workers', '1', '--budget', '1d']);
    expect(err).toMatch(/^ {4}1 try {4}of "aa" only device 1$/m);
  });

  it('reads a scenario from the standard input, and finds a packaged one by its name', async () => {
    const out = join(directory, 'typed.yaml');
    const typed = await ghostfleet(['shrink', '-', '--out', out, '--workers', '1'], {
      typed: hopeless(1).trim().split('\n'),
    });
    expect(typed).toMatchObject({ exit: 0, err: expect.stringContaining('running - with seed 1\n') });
    expect(readFileSync(out, 'utf8')).toMatch(/^# Reduced by "ghostfleet shrink" from standard input with seed 1\./);
    const packaged = await ghostfleet(['shrink', 'demo', '--out', join(directory, 'nowhere', 'x.yaml')]);
    expect(packaged.err).toContain('cannot write');
  });

  it.each(['1', '2'])(
    'with --workers %s writes the smallest scenario so far when it is interrupted, and ends with exit code 130',
    async (workers) => {
      const out = join(directory, `half-${workers}.yaml`);
      const path = file('slow.yaml', PLANTED);
      const { exit, out: printed } = await ghostfleet(['shrink', path, '--out', out, '--workers', workers], {
        interruptOn: /only device 3/,
      });
      expect(exit).toBe(130);
      expect(printed).toBe(`interrupted: ${out} has the smallest scenario found so far\n`);
      expect(readFileSync(out, 'utf8')).toContain('count: 1');
    },
    30_000,
  );
});
