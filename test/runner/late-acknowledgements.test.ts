/**
 * FLAP itself can lose a message. The run reports such a loss separately, and not as an error of its cloud (docs/FIDELITY.md).
 */
import { expect, it } from 'vitest';
import { renderText } from '../../src/report/renderers/text.js';
import { runText } from './run-text.js';

const SCENARIO = `
name: late-acknowledgements
duration: 40m
fleet: [{ name: edge, profile: control, count: 6, config: { interval-report: 120, interval-poll: 120 } }]
network: { latency: 150ms..900ms, loss: 25%, duplication: 15%, reorder: { ratio: 15%, by: 10s } }
faults: [{ reboot: { every: 5m }, from: 5m, until: 35m }]
expect: [always no-loss-across-reconnects]
`;

it('a late acknowledgement that matches a new packet is counted, but not as a violation', async () => {
  const result = await runText(SCENARIO, { seed: 8 });
  const [found] = result.expectations;
  expect(found).toMatchObject({ passed: true, left: 0, byProtocol: 1 });
  expect(found?.sentence).toMatch(
    /^no-loss-across-reconnects held at all times; by the protocol itself, not counted: once at .* by edge-0005: uplink \d+ was acknowledged and never stored/,
  );
  expect(renderText(result)).toContain(
    '✓ always no-loss-across-reconnects\n      no-loss-across-reconnects held at all times; by the',
  );
});
