import { describe, expect, it } from 'vitest';
import { pinned } from '../../../src/scenario/shrink/cuts.js';
import { normalised } from '../../../src/scenario/shrink/document.js';
import { failureOf, fixedNumbers } from '../../../src/scenario/shrink/failure.js';
import { shrink } from '../../../src/scenario/shrink/shrink.js';
import { problemsOf } from '../fixtures.js';

const LARGE = `
name: large
about: Much more than is needed.
duration: 6h
fleet:
  # The loggers.
  - { name: clime, profile: clime, count: 40, boot: { over: 10m } }
  # The ones that poll.
  - { name: control, profile: control, count: 30, tags: [x] }
network: { latency: 1s, loss: 1%, faults: [{ loss: 5%, from: 1h, until: 2h, to: clime }] }
steps:
  - { at: 1h, to: clime, commands: [info show] }
  # Gone for good.
  - { at: 2h, to: control/17, over: 1m, commands: [info show, cloud state, app config] }
  - { at: 3h, to: all, power-cycle: }
load:
  - { list-devices:, rate: 50/s }
  - { latest-value:, users: 7, to: clime }
expect: [uplink.stored == uplink.sent, downlink.delivered == downlink.queued]
`;

/** Reduces the scenario. A cut is successful if its text is a valid scenario for which `needs` returns true. */
async function reduced(needs: (text: string) => boolean, enough = () => false) {
  const failing = async (text: string) => problemsOf(text).length === 0 && needs(text);
  return shrink({ text: normalised(LARGE), stillFails: failing, enough });
}

describe('shrinking', () => {
  it('keeps only the step that makes the run fail, with its comment', async () => {
    const { text, minimal } = await reduced((tried) => tried.includes('cloud state'));
    expect(minimal).toBe(true);
    expect(text).toBe(`name: large
duration: 2h
fleet:
  # The ones that poll.
  - { name: control, profile: control, count: 1 }
steps:
  # Gone for good.
  - { at: 2h, commands: [ cloud state ] }
expect: [ uplink.stored == uplink.sent, downlink.delivered == downlink.queued ]
`);
  });

  it('keeps the devices that a fault has to affect', async () => {
    const faults =
      'faults: [{ no-signal:, from: 1h, until: 2h, to: control/17 }, { outage: both, from: 3h, to: clime }]\n';
    const failing = async (text: string) => problemsOf(text).length === 0 && text.includes('no-signal');
    const { text } = await shrink({ text: normalised(LARGE + faults), stillFails: failing, enough: () => false });
    expect(text).toContain('  - { name: control, profile: control, count: 1 }\nexpect:');
    expect(text).toContain('faults: [ { no-signal: } ]');
  });

  it('keeps the required device, by its serial number', async () => {
    const start = pinned(normalised(LARGE), 5, ['uplink.stored == uplink.sent'], [2159017985, 2159018025]);
    const needs = (text: string) => problemsOf(text).length === 0 && /serial: 2159018041/.test(text);
    const { text } = await shrink({
      text: start,
      stillFails: async (tried) => tried === start || needs(tried),
      enough: () => false,
    });
    expect(text).toContain('count: 1');
    expect(text).toContain('serial: 2159018041');
    expect(text).toContain('seed: 5');
  });

  it('keeps the fault without which the original passes, as the reason for the failure', async () => {
    const text = normalised(
      LARGE.replace('steps:', 'faults: [{ outage: both, from: 1h, until: 5h }, { loss: 1%, to: clime }]\nsteps:'),
    );
    // The scenario fails because of the outage. Without the outage, it fails for another reason if its duration is shorter than
    // 6 h.
    const cutShort = (tried: string) => !tried.includes('duration: 6h');
    const failing = async (tried: string) =>
      problemsOf(tried).length === 0 && (tried.includes('outage') || cutShort(tried));
    const shortfall = async (tried: string) => {
      if (problemsOf(tried).length > 0) return undefined;
      return (await failing(tried)) ? 1 : 0;
    };
    const enough = () => false;
    const careless = await shrink({ text, stillFails: failing, enough });
    expect(careless.text).not.toContain('outage');
    const careful = await shrink({ text, stillFails: failing, shortfall, enough });
    expect(careful.causes).toEqual(['the fault "outage"']);
    expect(careful.text).toContain('outage');
    expect(careful.text).not.toContain('loss');
    expect(careful.text).toContain('duration: 6h');
  });

  it('keeps a step that disturbs devices, if the original passes without it', async () => {
    const text = `name: radio
duration: 6h
fleet: [{ name: cellar, profile: clime, count: 6 }]
steps:
  - { at: 1h, to: cellar/3, radio: off }
  - { at: 2h, commands: [info show] }
`;
    // The downlink is not answered if the radio of a device is off, or if the run ends soon after it was queued.
    const failing = async (tried: string) =>
      problemsOf(tried).length === 0 && (tried.includes('radio: off') || !tried.includes('duration: 6h'));
    const shortfall = async (tried: string) => ((await failing(tried)) ? 1 : 0);
    const found = await shrink({ text: normalised(text), stillFails: failing, shortfall, enough: () => false });
    expect(found.causes).toEqual(['the step "radio"']);
    expect(found.text).toContain('radio: off');
    expect(found.text).not.toContain('commands');
  });

  it('keeps the largest of several causes, and names the causes that were removed', async () => {
    const text = normalised(
      LARGE.replace('steps:', 'faults: [{ duplication: 5% }, { outage: both, from: 1h, until: 5h }]\nsteps:'),
    );
    // Three downlinks are late because of the outage, and one because of the duplication. Each of the two faults is enough for
    // a failure.
    const shortfall = async (tried: string) => {
      if (problemsOf(tried).length > 0) return undefined;
      return (tried.includes('outage') ? 3 : 0) + (tried.includes('duplication') ? 1 : 0);
    };
    const stillFails = async (tried: string) => ((await shortfall(tried)) ?? 0) > 0;
    const enough = () => false;
    const { text: small, ...found } = await shrink({ text, stillFails, shortfall, enough });
    expect(small).toContain('outage');
    expect(found).toMatchObject({ causes: [], largest: 'the fault "outage"', dropped: ['the fault "duplication"'] });
  });

  it('has the same result every time', async () => {
    const needs = (text: string) => text.includes('power-cycle') && text.includes('latency');
    expect(await reduced(needs)).toEqual(await reduced(needs));
  });

  it.each([2, 4])('has the same result if %d texts are examined at the same time', async (atOnce) => {
    const text = normalised(
      LARGE.replace('steps:', 'faults: [{ duplication: 5% }, { outage: both, from: 1h, until: 5h }]\nsteps:'),
    );
    const found = async (options: { atOnce?: number }) => {
      let running = 0;
      let mostRunning = 0;
      /** Ends 0 to 6 turns later, so that later texts often end before earlier texts. */
      const shortfall = async (tried: string, signal?: AbortSignal) => {
        mostRunning = Math.max(mostRunning, ++running);
        for (let turns = tried.length % 7; turns > 0; turns--) await new Promise((done) => setImmediate(done));
        running--;
        // The result of an aborted attempt must not matter.
        if (signal?.aborted) return 3;
        if (problemsOf(tried).length > 0) return undefined;
        return (tried.includes('outage') ? 3 : 0) + (tried.includes('duplication') ? 1 : 0);
      };
      const stillFails = async (tried: string, signal?: AbortSignal) => ((await shortfall(tried, signal)) ?? 0) > 0;
      const cuts: [string, number][] = [];
      const onCut = ({ about }: { about: string }, tries: number) => cuts.push([about, tries]);
      const result = await shrink({ text, stillFails, shortfall, enough: () => false, onCut, ...options });
      return { mostRunning, outcome: { result, cuts } };
    };
    const alone = await found({});
    const together = await found({ atOnce });
    expect(alone.mostRunning).toBe(1);
    expect(together.mostRunning).toBeGreaterThan(1);
    expect(together.outcome).toEqual(alone.outcome);
  });

  it('stops at its limit, with the smallest scenario so far', async () => {
    let asked = 0;
    const { minimal, tries, text } = await reduced(
      () => true,
      () => ++asked > 3,
    );
    expect(minimal).toBe(false);
    expect(tries).toBeLessThanOrEqual(3);
    expect(problemsOf(text)).toEqual([]);
  });

  it('reduces a load to its lowest rate', async () => {
    const { text } = await reduced((tried) => tried.includes('list-devices'));
    expect(text).toContain('- { list-devices:, rate: 1/h }');
    expect(text).not.toContain('latest-value');
  });

  it.each([
    ['a constant rate', 'rate: 5/h', ['1/h']],
    ['a ramp', 'rate: 2/m..5/m', ['1/h', '1/m']],
    ['a ramp down', 'rate: 5/s..2/h', ['1/h', '1/m', '1/s']],
    ['a rate that changes', 'rate: { 0s: 2/h, 5m: 3/m, 6m: 1/h }', ['1/h', '1/m']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of the scenario
    ['a variable', 'rate: "${slow}"', []],
    ['recorded times', 'rate: { replay: arrivals.csv, speed: 0.1 }', []],
    ['users', 'users: 1, think: 20s, patient: true', []],
  ])('does not replace %s by a higher rate, and does not remove what keeps it low', async (_, load, rates) => {
    const text = `name: a\nduration: 1h\nfleet:\n  - { profile: clime }\nload:\n  - { list-devices:, ${load} }\n`;
    const tried = new Set<string>();
    const stillFails = async (each: string) => {
      const [, pace] = /- \{ list-devices:, (.*) \}\n/.exec(each) ?? [];
      if (pace !== undefined) tried.add(pace);
      return each === text;
    };
    await shrink({ text, stillFails, enough: () => false });
    const isValid = (pace: string) => pace.startsWith('users:') === load.startsWith('users:') && pace !== load;
    expect([...tried].filter(isValid)).toEqual(rates.map((rate) => `rate: ${rate}`));
  });

  it('keeps a text with aliases valid', async () => {
    const text = 'name: a\nduration: 1h\nfleet:\n  - &g { name: one, profile: clime, count: 2 }\nnext: [&n x, *n]\n';
    const stillFails = async (tried: string) => problemsOf(tried).length === 0;
    const { text: result } = await shrink({ text, stillFails, enough: () => false });
    expect(problemsOf(result)).toEqual([]);
    expect(result).not.toContain('next');
  });
});

describe('the way in which a run fails', () => {
  const outcome = { line: 'a == b', passed: false, left: 1, right: 2, unit: 'count' as const, sentence: '' };

  it('is its exit code, the failed lines, and whether their values are too high or too low', () => {
    const base = failureOf({ exitCode: 3, unmet: null, expectations: [outcome] });
    expect(failureOf({ exitCode: 3, unmet: null, expectations: [{ ...outcome, left: 0, right: 9 }] })).toBe(base);
    expect(
      failureOf({ exitCode: 3, unmet: null, expectations: [outcome, { ...outcome, line: 'x', passed: true }] }),
    ).toBe(base);
    expect(failureOf({ exitCode: 4, unmet: null, expectations: [outcome] })).not.toBe(base);
    expect(failureOf({ exitCode: 3, unmet: null, expectations: [{ ...outcome, left: 3 }] })).not.toBe(base);
    expect(failureOf({ exitCode: 3, unmet: null, expectations: [{ ...outcome, left: null }] })).not.toBe(base);
  });

  it('includes the condition for which a step waited in vain, its difference, and the limit of the wait', () => {
    const failed = (condition: object, limit = 'within 30m') =>
      failureOf({ exitCode: 3, expectations: [], unmet: { condition: { ...outcome, ...condition }, limit } });
    const base = failed({});
    expect(failed({ left: 0 })).toBe(base);
    expect(failed({ line: 'a == c' })).not.toBe(base);
    expect(failed({ left: 3 })).not.toBe(base);
    expect(failed({ passed: true })).not.toBe(base);
    expect(failed({}, 'the end of the scenario at 3h')).not.toBe(base);
    expect(failureOf({ exitCode: 3, expectations: [], unmet: null })).not.toBe(base);
  });

  it('can change with the number of devices for lines that compare with a fixed number', () => {
    const lines = ['device.ready == 60', 'a == b', 'step.failed == 0', 'x p(95) < 40m', 'wake.poll > 9'];
    const expectations = lines.map((line) => ({ ...outcome, line }));
    expect(fixedNumbers({ expectations, unmet: null })).toEqual(['device.ready == 60', 'wake.poll > 9']);
    const condition = { ...outcome, line: 'device.ready == 8' };
    expect(fixedNumbers({ expectations: [], unmet: { condition, limit: '' } })).toEqual(['device.ready == 8']);
  });

  it('cannot change with the number of devices for a value that is too high', () => {
    const high = { ...outcome, line: 'wake.poll of cellar < 10', left: 40, right: 10 };
    expect(fixedNumbers({ expectations: [high], unmet: null })).toEqual([]);
  });
});
