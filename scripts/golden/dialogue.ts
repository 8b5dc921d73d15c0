/**
 * The dialogue of one device with the cloud, recorded at the device's end of the wire: the datagrams that it sends and
 * receives, and the events of the device between them. It is recorded from a scenario with one device, in virtual time and
 * memory, and is the same every time.
 */

import { seededRandom } from '../../src/kernel/random.js';
import type { Instant } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import type { Profile } from '../../src/profile/profile.js';
import { type Datagram, datagramBytes } from '../../src/protocol/flap/envelope.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { openEmbeddedTarget } from '../../src/runner/targets/embedded.js';
import { buildFleet } from '../../src/runner/world/fleet.js';
import { makeFleetDevices } from '../../src/runner/world/fleet-device.js';
import { LiveFaults } from '../../src/runner/world/live-faults.js';
import { provision } from '../../src/runner/world/provision.js';
import { makeWorld } from '../../src/runner/world/run-world.js';
import { runSchedule } from '../../src/runner/world/schedule.js';
import type { Evidence } from '../../src/scenario/expect/evaluate.js';
import type { Plan } from '../../src/scenario/model/plan.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import type { Trace, TraceEvent } from '../../src/trace/events.js';
import { withFaults } from '../../src/transport/faults/with-faults.js';
import type { Transport } from '../../src/transport/transport.js';

export interface Dialogue {
  readonly about: string;
  readonly profile: Profile;
  /** Claim token, 16 bytes. It is used to check the tags of the datagrams, and is never printed. */
  readonly token: Uint8Array;
  /** In order of time. */
  readonly entries: readonly Entry[];
}

export type Entry =
  | { readonly kind: 'datagram'; readonly at: Instant; readonly way: 'up' | 'down'; readonly bytes: Uint8Array }
  | { readonly kind: 'fact'; readonly at: Instant; readonly event: TraceEvent };

const LOG = { info: () => {}, warn: () => {}, error: () => {} };

/** Runs the scenario in `text`. @throws InputError for an invalid scenario, RangeError for more than one device */
export async function recordDialogue(
  text: string,
  file: string,
  profiles: ReadonlyMap<string, Profile>,
): Promise<Dialogue> {
  const plan = planScenario(parseScenario(text, file, describeDeviceTypes(profiles)), {});
  const { planned, profile } = onlyDevice(plan, profiles, file);
  const clock = new VirtualClock({ start: plan.start });
  const random = seededRandom(plan.seed);
  const entries: Entry[] = [];
  const trace: Trace = { emit: (event) => entries.push({ kind: 'fact', at: event.at, event }) };
  const target = await openEmbeddedTarget({
    ...{ transport: 'memory', db: 'memory', space: plan.scenario, virtual: true, log: LOG, clock, random, trace },
  });
  try {
    const faults = new LiveFaults(plan, clock);
    const transport = tapped(withFaults(target.wire, { clock, random, trace, faults: faults.list }), (way, bytes) =>
      entries.push({ kind: 'datagram', at: clock.now, way, bytes: Uint8Array.from(bytes) }),
    );
    const fleet = { plan, profiles, clock, random, trace, transport, format: target.format };
    const handles = makeFleetDevices(plan, buildFleet(fleet));
    const world = makeWorld(target, profiles);
    await provision(plan, world, handles, { concurrency: 1, signal: new AbortController().signal });
    const startLoads = () => ({ close: () => {}, open: [], areThinking: false });
    await runSchedule(
      {
        plan,
        handles,
        world,
        trace,
        evidence: () => NOTHING,
        waited: () => {},
        live: faults,
        startLoads,
      },
      clock,
    );
    for (const { device } of handles) device.powerOff();
  } finally {
    await target.close();
  }
  const token = Uint8Array.from(Buffer.from(planned.claimToken, 'hex'));
  return { about: plan.about, profile, token, entries };
}

/** A dialogue has no verdict, so no metrics or invariants are read. */
const NOTHING: Evidence = {
  metrics: { read: () => undefined, within: () => undefined },
  invariants: { getVerdict: () => undefined },
  nameOf: String,
};

function onlyDevice(plan: Plan, profiles: ReadonlyMap<string, Profile>, file: string) {
  const [planned, ...more] = plan.devices;
  const group = plan.groups[planned?.group ?? -1];
  const profile = profiles.get(group?.profile ?? '');
  if (planned === undefined || group === undefined || profile === undefined || more.length > 0) {
    throw new RangeError(`${file} has ${plan.devices.length} devices; a dialogue has exactly one device`);
  }
  return { planned, profile };
}

/** A transport that also passes each datagram to `show`. */
function tapped(inner: Transport, show: (way: 'up' | 'down', bytes: Uint8Array) => void): Transport {
  return {
    connect(serial, receiver, format) {
      const tap = {
        receive(datagram: Datagram) {
          show('down', datagramBytes(datagram));
          receiver.receive(datagram);
        },
      };
      const channel = inner.connect(serial, tap, format);
      return {
        send(datagram) {
          show('up', datagramBytes(datagram));
          channel.send(datagram);
        },
        reopen: (server) => channel.reopen(server),
      };
    },
    close: () => inner.close(),
  };
}
