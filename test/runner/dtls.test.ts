/** Devices with DTLS in a run: hio devices with `protocol flap-dtls`, beside devices without DTLS. */
import { expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import { countWires } from './count-wires.js';
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

const NODE = 'fleet: [{ name: node, profile: hio-node, count: 1, config: [cloud config protocol flap-dtls] }]';

const RESTARTS = `
name: restarts
duration: 8h
${NODE}
setup:
  - firmware: { name: v2, profile: hio-node, version: v9.0.0 }
faults: [{ brown-out:, from: 5h, until: 5h10m }]
steps:
  - { at: 1h, power-cycle: }
  - { at: 2h, shell: kernel reboot cold }
  - { at: 150m, shell: config save }
  - { at: 3h, firmware: v2 }
  - { at: 4h, button: { hold: 6s } }
  - { at: 4h, power-cycle: }
`;

it.each(['memory', 'udp'] as const)(
  'a device makes one handshake after each reset, whatever its cause, and none between resets (%s)',
  async (transport) => {
    const { recorder, handshakes } = countWires();
    const { failure, uplinks } = await runText(RESTARTS, { transport, recorder });
    // Each session follows one reset: a device in its brown-outs does not get that far.
    expect({ failure, handshakes: handshakes() }).toEqual({ failure: null, handshakes: uplinks.byType.session?.acked });
  },
);

it('a device makes another handshake after its modem was off', async () => {
  const { recorder, handshakes } = countWires();
  const steps = '[{ at: 1h, modem: error }, { at: 2h, shell: lte reconnect }]';
  await runText(`name: modem\nduration: 6h\n${NODE}\nsteps: ${steps}\n`, { recorder });
  expect(handshakes()).toBe(3);
});

it('a device keeps its connection through flight mode, and uses it with each new socket', async () => {
  const { recorder, handshakes, sockets } = countWires();
  await runText(`name: flight\nduration: 6h\n${NODE}\nnetwork: { power-saving: off }\n`, { recorder });
  expect([handshakes(), sockets() > 20]).toEqual([1, true]);
});
