import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/kernel/errors.js';
import { runText } from './run-text.js';

const scenario = (load: string, more = '') => `
name: seldom
duration: 20m
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 300 } }]
${load}
${more}
expect: ['call.failed == 0']
`;

describe('the warning about a load that sent no request', () => {
  it('says that none was due', async () => {
    const { passed, warnings } = await runText(
      scenario('load: [{ list-messages:, rate: 0.0001/s, spacing: even, from: 1m, until: 2m }]'),
    );
    expect(passed).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/^load list-messages.* sent no request: none was due$/)]);
  });

  it('says why all were dropped', async () => {
    const { warnings } = await runText(
      scenario(
        'load: [{ commands: [info show], to: clime, rate: 1/s, from: 1m, until: 2m }]',
        'steps: [{ at: 10s, delete-device:, to: clime }]',
      ),
    );
    expect(warnings).toContainEqual(
      expect.stringMatching(/^load commands.* sent no request: \d+ were due \(dropped: .+\)$/),
    );
  });

  it('says how many of the iterations that users share have not begun', async () => {
    const load = 'load: [{ name: onboard, list-messages:, users: 2, think: 5s, iterations: 1000, until: 1m }]';
    const { warnings, calls } = await runText(scenario(load));
    expect(warnings).toEqual(['load onboard ended before 976 of its 1,000 iterations had begun']);
    expect(calls.onboard).toMatchObject({ planned: 1000, answered: 24, dropped: 976 });
  });

  it('says how many requests could not be made, and why', async () => {
    const chain =
      '[{ get: "/v2/spaces/{space}/devices", capture: { all: $ } }, { get: "/v2/spaces/{space}/tags/{all}" }]';
    const { warnings } = await runText(
      scenario(`load: [{ name: two, rate: 1/s, from: 1m, until: 2m, chain: ${chain} }]`),
    );
    expect(warnings).toEqual(['load two did not send 60 requests: {all} is a list, which does not fit into a text']);
  });

  it('is absent if requests were sent', async () => {
    const { warnings } = await runText(scenario('load: [{ list-messages:, rate: 1/s, from: 1m, until: 2m }]'));
    expect(warnings).toEqual([]);
  });

  it('is absent if the run ended before the end of the load', async () => {
    const { warnings } = await runText(scenario('load: [{ list-messages:, rate: 1/s, from: 10m, until: 12m }]'), {
      started: ({ clock, stop }) => void clock.after(300_000, 'Ctrl-C', () => stop(new InterruptedError('SIGINT'))),
    });
    expect(warnings).toEqual([]);
  });
});
