/** The properties of devices and groups that selectors compare. Before a run, devices are derived from their groups. */

/** `off`: no power or firmware; `starting`: the application does not run; `ready`: awake; `asleep`: till the next task. */
export const STATES = ['off', 'starting', 'ready', 'asleep'] as const;
export type DeviceState = (typeof STATES)[number];

export interface SelectableDevice {
  /** `clime-0001`: see {@link makeDeviceName}. */
  readonly name: string;
  readonly serial: number;
  /** Name of its group; the name of its profile for a device outside a fleet. */
  readonly group: string;
  /** Its number in the group, from 1. */
  readonly number: number;
  /** null if the group has no region. */
  readonly region: string | null;
  /** Name of its device type. */
  readonly profile: string;
  readonly tags: readonly string[];
  /** Version of its firmware, `v3.5.1`; left out before the device exists. */
  readonly fw?: string;
  /** Remaining charge in percent, to a tenth; left out before the device exists. */
  readonly battery?: number;
  /** Left out before the device exists. */
  readonly state?: DeviceState;
}

export interface SelectableGroup {
  readonly name: string;
  readonly profile: string;
  readonly count: number;
  /** Serial number of the first device; the others follow. */
  readonly firstSerial: number;
  readonly tags: readonly string[];
  /** null if the group has no region. */
  readonly region: string | null;
}

/** Name of the device `number` of a group, from 1: `clime-0001`, with as many digits as the largest number, at least four. */
export function makeDeviceName({ name, count }: Pick<SelectableGroup, 'name' | 'count'>, number: number): string {
  return `${name}-${String(number).padStart(Math.max(4, String(count).length), '0')}`;
}

/** The devices of a group before a run, in order, without the properties that exist only during a run. */
export function* listDevices(group: SelectableGroup): Generator<SelectableDevice, void> {
  for (let number = 1; number <= group.count; number++) yield new PlannedMember(group, number);
}

/** A class with only two fields, to save memory: a fleet may have a million devices. */
class PlannedMember implements SelectableDevice {
  readonly number: number;
  readonly #group: SelectableGroup;

  constructor(group: SelectableGroup, number: number) {
    this.#group = group;
    this.number = number;
  }

  get name(): string {
    return makeDeviceName(this.#group, this.number);
  }
  get serial(): number {
    return this.#group.firstSerial + this.number - 1;
  }
  get group(): string {
    return this.#group.name;
  }
  get region(): string | null {
    return this.#group.region;
  }
  get profile(): string {
    return this.#group.profile;
  }
  get tags(): readonly string[] {
    return this.#group.tags;
  }
}

/** Whether the word means this device: by its name, `cellar-0003`, or as in a selector, `cellar/3`. */
export function isNamed(word: string, name: string): boolean {
  return word === name || word === name.replace(/-0*([1-9]\d*)$/, '/$1');
}
