/** Downlinks that a device refuses count as refused, not as executed. */
import { expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import { RENDERERS } from '../../src/report/renderers/index.js';
import { runText } from './run-text.js';

it('downlinks with a rejected line are refused, not executed, and answered as the firmware answers them', async () => {
  const result = await runText(`
name: refused
duration: 2h
fleet: [{ name: clime, profile: clime, count: 5, config: { interval-poll: 300 } }]
steps:
  - { at: 30m, to: clime/1, unknown: true, config: { interval-report: 5 } }
  - { at: 30m, to: clime/2, unknown: true, config: [app config report-interval 600, app config interval-report 600] }
  - { at: 30m, to: clime/3, unknown: true, config: [inof show] }
  - { at: 30m, to: clime/4, unknown: true, commands: [info show, app config interval-report 5] }
  - { at: 30m, to: clime/5, commands: [info show] }
expect:
  - downlink.received == 5
  - downlink.refused == 4
  - downlink.executed == 1
  # An invalid value changes nothing, so the device does not report its configuration.
  - downlink.answered of clime/1 == 0
  # This device reports a new configuration, but without the unknown parameter of the downlink. So it is not the answer.
  - downlink.answered of clime/2 == 0
  - downlink.answered of clime/4 + downlink.answered of clime/5 == 2
  - downlink.answered of clime/3 == 0
  - always downlinks-answered
`);
  expect(result.expectations.filter(({ passed }) => !passed)).toEqual([]);
  expect(result.exitCode).toBe(EXIT.fine);
  const text = RENDERERS.text(result, { colour: false });
  expect(text.match(/ · (config|shell) to .*, refused\n/g)).not.toBeNull();
});
