/** A small fleet for consoles: devices on one virtual clock. Their datagrams are discarded. */
import type { Fleet, Member } from '../../src/console/member.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { FleetDevice } from '../../src/runner/world/fleet-device.js';
import { makeSamplingRandom } from '../../src/scenario/selector/match.js';
import { TOKEN } from './cloud.js';
import { testDevice } from './device.js';

export interface TestFleet extends Fleet {
  readonly clock: VirtualClock;
  readonly all: readonly Member[];
  /** The actions that the console reported to the fleet, oldest first. */
  readonly notes: readonly (readonly [serial: number, action: string])[];
}

/**
 * A fleet of devices with names such as `clime-0001`, all switched on.
 * @param counts number of devices of each device type
 */
export function testFleet(counts: Readonly<Record<string, number>> = { clime: 3, control: 1 }): TestFleet {
  const clock = new VirtualClock();
  let serial = 2_159_017_985;
  const all = Object.entries(counts).flatMap(([profile, count]) =>
    Array.from({ length: count }, (_, n) => {
      const { device } = testDevice({ clock, profile, seed: `${profile}${n}`, network: () => {} });
      device.powerOn();
      const name = `${profile}-${String(n + 1).padStart(4, '0')}`;
      const group = { name: profile, tags: [`has-${profile}`], region: null };
      return new FleetDevice(device, { name, serial: serial++, claimToken: TOKEN }, group, n + 1);
    }),
  );
  const notes: [number, string][] = [];
  const noted = (serial: number, action: string) => void notes.push([serial, action]);
  const tags = Object.keys(counts).map((profile) => `has-${profile}`);
  return {
    name: 'test',
    size: all.length,
    tags,
    members: () => all,
    random: makeSamplingRandom(1),
    noted,
    clock,
    all,
    notes,
  };
}

export function memberNamed({ all }: TestFleet, name: string): Member {
  const member = all.find((known) => known.name === name);
  if (member === undefined) throw new Error(`no device ${name}`);
  return member;
}
