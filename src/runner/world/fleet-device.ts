/**
 * A device of a fleet, for all who use one: steps change it (scenario/world.ts), consoles type on its shell
 * (console/member.ts), selectors compare its fields, and programs get it from the library. The device itself is in
 * device/device.ts.
 */
import type { Answer, Doing, Fleet, Member } from '../../console/member.js';
import type { Device } from '../../device/device.js';
import type { DeviceControls } from '../../device/device-controls.js';
import type { CommandResult } from '../../device/shell/command.js';
import { complete } from '../../device/shell/complete.js';
import { isRejected } from '../../device/shell/shell.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { Profile } from '../../profile/profile.js';
import type { Plan, PlannedDevice, PlannedGroup } from '../../scenario/model/plan.js';
import type { DeviceState } from '../../scenario/selector/device.js';
import { makeSamplingRandom } from '../../scenario/selector/match.js';
import type { ShellResult } from '../../scenario/world.js';
import { makeRegisteredSecret } from './connection.js';

/** What a device has beside its hardware. */
export type NamedDevice = Pick<PlannedDevice, 'name' | 'serial' | 'claimToken'>;
type Group = Pick<PlannedGroup, 'name' | 'tags' | 'region'>;

/** It has few fields, to save memory: a fleet may have 100,000 devices. */
export class FleetDevice implements Member {
  readonly device: Device;
  readonly number: number;
  cloudId: string | undefined = undefined;
  readonly #named: NamedDevice;
  readonly #group: Group;

  /**
   * @param group default: a group with the name of the profile
   * @param number its number in the group, from 1
   */
  constructor(device: Device, named: NamedDevice, group?: Group, number = 1) {
    this.device = device;
    this.#named = named;
    this.#group = group ?? { name: device.type.profile.name, tags: [], region: null };
    this.number = number;
  }

  get name(): string {
    return this.#named.name;
  }
  get serial(): number {
    return this.#named.serial;
  }
  get claimToken(): string {
    return this.#named.claimToken;
  }
  get group(): string {
    return this.#group.name;
  }
  get region(): string | null {
    return this.#group.region;
  }
  get tags(): readonly string[] {
    return this.#group.tags;
  }
  get type(): Profile {
    return this.device.type.profile;
  }
  get profile(): string {
    return this.type.name;
  }
  get fw(): string {
    return this.device.build.version;
  }
  /** Rounded, so that selectors compare the number that is shown. */
  get battery(): number {
    return Math.round((1 - this.device.battery.used) * 1000) / 10;
  }
  get state(): DeviceState {
    const { firmware, busyWith } = this.device;
    if (firmware === undefined) return 'off';
    if (!firmware.application.running) return 'starting';
    return busyWith === undefined ? 'asleep' : 'ready';
  }
  get doing(): Doing {
    return this.device.doing;
  }
  get due(): { readonly report: Millis | null; readonly poll: Millis | null } {
    const { firmware, now } = this.device;
    const { report, poll } = firmware?.application.due ?? { report: Infinity, poll: Infinity };
    const left = (at: Instant) => (Number.isFinite(at) ? Math.max(0, at - now) : null);
    return { report: left(report), poll: left(poll) };
  }
  get controls(): DeviceControls {
    return this.device.controls;
  }
  get secret(): string | undefined {
    const { type, config } = this.device;
    return makeRegisteredSecret({ type, flash: config.flash }, this.claimToken).secret;
  }

  complete(line: string): readonly string[] {
    const { shell, layout } = this.device.type;
    return complete(shell.commands, layout, line);
  }

  shell(line: string, later?: (part: Answer) => void): Answer & ShellResult {
    return makePart(this.device.shell(line, later && ((result) => later(makePart(result)))));
  }
}

function makePart(result: CommandResult): Answer & ShellResult {
  return {
    code: result.code,
    rejected: isRejected(result),
    lines: result.lines,
    more: result.rest !== undefined,
  };
}

/** The devices of a plan, in its order. `devices` are in the same order. */
export function makeFleetDevices(
  { devices: planned, groups }: Plan,
  devices: readonly Device[],
): readonly FleetDevice[] {
  const numbers: number[] = [];
  return devices.map((device, index) => {
    const named = planned[index] as PlannedDevice;
    const number = (numbers[named.group] ?? 0) + 1;
    numbers[named.group] = number;
    return new FleetDevice(device, named, groups[named.group], number);
  });
}

/** The fleet of a plan, for consoles. */
export function makeFleet(plan: Plan, devices: readonly FleetDevice[], noted: Fleet['noted']): Fleet {
  return {
    noted,
    name: plan.scenario,
    size: devices.length,
    tags: [...new Set(plan.groups.flatMap(({ tags }) => tags))],
    random: makeSamplingRandom(plan.seed),
    members: () => devices,
  };
}
