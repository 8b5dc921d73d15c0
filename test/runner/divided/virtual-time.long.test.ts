/** Runs in virtual time whose devices are divided: messages that expire, and runs that end early. */
import { describe, expect, it } from 'vitest';
import { EXIT, InterruptedError } from '../../../src/kernel/errors.js';
import { crewOfThisThread } from '../../support/crew.js';
import { runText } from '../run-text.js';
import { TEXT } from './divided-run.js';

/** Two parts of a run. Threads of their own, as in the first test, take longer to start than most of these runs. */
const inThisThread = { workers: 2, crew: crewOfThisThread };

describe('a run whose devices are divided among threads', () => {
  it.each([
    ['before they are deleted', '1h', 12],
    ['in the hour in which they are deleted, in two batches of at most 500', '2d', 504],
  ])('expires messages %s, as many at a time as a run in one thread', async (_, end, count) => {
    const steps = Array.from({ length: count / 4 }, () => '  - { at: 10m, commands: [info show] }').join('\n');
    const text = `
name: batches
duration: 51h
cloud: { expire-downlinks: ${end}, retain-messages: 2d }
fleet: [{ name: clime, profile: clime, count: 4, boot: { from: 51h } }]
steps:
${steps}
expect: [downlink.expired == ${count}, message.pruned == ${count}]
`;
    const [one, two] = await Promise.all([runText(text), runText(text, inThisThread)]);
    expect([one.passed, two.passed, two.digest]).toEqual([true, true, one.digest]);
  });

  it('ends when it is stopped, with the results so far', async () => {
    const result = await runText(TEXT, {
      ...inThisThread,
      started: ({ clock, stop }) => void clock.after(3_600_000, 'Ctrl-C', () => stop(new InterruptedError('SIGINT'))),
    });
    expect(result.exitCode).toBe(EXIT.interrupted);
    expect(result.simulatedMs).toBeLessThan(3 * 3_600_000);
    expect(result.events).toBeGreaterThan(10);
    expect(result.expectations.every(({ undecided }) => undecided)).toBe(true);
  });

  it('fails like a run in one thread if the world cannot be built', async () => {
    const text = TEXT.replace('winter } }', 'winter } }, { variable: { name: season, value: summer } }');
    const failure = (options: object) => runText(text, options).then(String, ({ message }) => message);
    expect(await failure(inThisThread)).toBe(await failure({}));
  });
});
