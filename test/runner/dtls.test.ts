/** Devices with DTLS in a run: hio devices with `protocol flap-dtls`, beside devices without DTLS. */
import { expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import { runText } from './run-text.js';

const TEXT = `
name: encrypted
duration: 2h
fleet:
  - { name: secure, profile: hio-node, count: 2, config: [app config interval-poll 300, cloud config protocol flap-dtls] }
  - { name: plain, profile: hio-node, count: 1 }
  - { name: clime, profile: clime, count: 1 }
network:
  latency: 150ms..900ms
  loss: 10%
  faults:
    - { outage: both, from: 20m, until: 25m }
    - { corruption: 20%, from: 40m, until: 50m }
faults:
  - { service-restart: { away: 30s }, from: 70m }
steps:
  - { at: 22m, to: secure, commands: [cloud state] }
  - { at: 1h, to: secure/1, power-cycle: {} }
  - { at: 71m, to: secure, commands: [cloud state] }
expect: [device.ready == 4, downlink.answered == 4]
`;

it('devices with DTLS recover from an outage and a restart of the service, with the same events in memory and over UDP', async () => {
  const memory = await runText(TEXT);
  expect([memory.exitCode, memory.expectations.map(({ passed }) => passed)]).toEqual([EXIT.fine, [true, true]]);
  const { failure, digest } = await runText(TEXT, { transport: 'udp' });
  expect({ failure, digest }).toEqual({ failure: null, digest: memory.digest });
});
