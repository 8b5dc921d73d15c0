/**
 * The configuration of one device, in its three copies (shell S-15, behaviour B-4):
 *
 *     flash ──boot──► live      what the running firmware uses
 *       ▲   └─boot──► interim   what the shell shows and changes
 *       └───── save ────┘
 *
 * A fleet may have 100,000 configurations. So a copy contains only the values that differ from the defaults, and all three
 * copies are the same object until the first write. A write creates a new object. Devices that start with the same settings may
 * share one {@link Settings}.
 */
import type { ParameterValue } from '../../profile/parameters.js';
import { parseHioValue } from './hio-parse.js';
import type { ConfigItem, ConfigLayout } from './layout.js';
import { parseValue } from './parse.js';
import type { Refused } from './parsed.js';

/** The values that differ from the defaults, by {@link ConfigItem.key}. */
export type Settings = ReadonlyMap<string, ParameterValue>;

/** How a family of firmware reads values. */
const PARSERS = { chester: parseValue, hio: parseHioValue } as const;

/** Factory settings: all defaults. */
const FACTORY_SETTINGS: Settings = new Map();

export class DeviceConfig {
  #layout: ConfigLayout;
  #flash: Settings;
  #live: Settings;
  #interim: Settings;
  /** Created by the first write of settings: most devices never write any. */
  #wear: { writes: number; left: number } | undefined;

  /** `flash` is what the settings storage holds when the device is first switched on. */
  constructor(layout: ConfigLayout, flash: Settings = FACTORY_SETTINGS) {
    this.#layout = layout;
    this.#flash = flash;
    this.#live = flash;
    this.#interim = flash;
  }

  /** The parameters of the firmware that runs. */
  get layout(): ConfigLayout {
    return this.#layout;
  }

  /** Changes to another version's parameters. Flash keeps all settings, also those that this version lacks. */
  adopt(layout: ConfigLayout): void {
    this.#layout = layout;
  }

  /**
   * The settings that survive a reboot. A new device that is created with these settings starts with the same configuration.
   */
  get flash(): Settings {
    return this.#flash;
  }

  get live(): Settings {
    return this.#live;
  }

  /** The live settings; undefined while the interim copy may differ, for example between a change and the next boot. */
  get inForce(): Settings | undefined {
    return this.#live === this.#interim ? this.#live : undefined;
  }

  /** A boot: the firmware loads the settings from flash; unsaved changes are lost. */
  boot(): void {
    this.#live = this.#flash;
    this.#interim = this.#flash;
  }

  /** Writes the interim copy to flash; it is in effect after the next boot. Returns false if the write failed. */
  save(): boolean {
    if (!this.countWrite()) return false;
    this.#flash = this.#interim;
    return true;
  }

  /** Erases the settings; the defaults are in effect after the next boot. Returns false if the erase failed. */
  reset(): boolean {
    if (!this.countWrite()) return false;
    this.#flash = FACTORY_SETTINGS;
    return true;
  }

  /** Whether the next write would succeed. */
  get writable(): boolean {
    return this.#wear === undefined || this.#wear.left > 0;
  }

  /** How often settings have been written or erased. */
  get writes(): number {
    return this.#wear?.writes ?? 0;
  }

  /** After `writesLeft` more writes, every write fails. Infinity sets no limit: the flash is as good as new. */
  wear(writesLeft: number): void {
    this.#wear = { writes: this.writes, left: writesLeft };
  }

  /** Live value of an int or float parameter. @throws Error when the device type has no such parameter */
  number(module: string, name: string): number {
    return expect(this.inEffect(module, name), 'number', module, name);
  }

  /** Live value of an enum, string or hex parameter. @throws Error when the device type has no such parameter */
  text(module: string, name: string): string {
    return expect(this.inEffect(module, name), 'string', module, name);
  }

  /** Live value of a bool parameter. @throws Error when the device type has no such parameter */
  flag(module: string, name: string): boolean {
    return expect(this.inEffect(module, name), 'boolean', module, name);
  }

  /** Live BLE address in slot `n` of a module, 12 hex digits; undefined when the slot is empty or does not exist. */
  slot(module: string, n: number): string | undefined {
    const item = this.#layout.module(module)?.slots[n];
    const address = item && this.#live.get(item.key);
    return address === undefined ? undefined : String(address);
  }

  /** Writes a value to all three copies; other unsaved changes stay unsaved. False if it is invalid or the write failed. */
  store(item: ConfigItem, text: string): boolean {
    const parsed = PARSERS[this.#layout.family](item.spec, text);
    if (parsed.kind === 'refused' || !this.countWrite()) return false;
    this.#flash = withValue(this.#flash, item, parsed.value);
    this.#live = withValue(this.#live, item, parsed.value);
    this.#interim = withValue(this.#interim, item, parsed.value);
    return true;
  }

  /** Changes a value in flash only; undefined erases it. The running firmware keeps its value. False if the write failed. */
  poke(item: ConfigItem, value: ParameterValue | undefined): boolean {
    if (!this.countWrite()) return false;
    this.#flash = withValue(this.#flash, item, value ?? item.default);
    return true;
  }

  /** Live numbers of a module's list, without empty entries. */
  list(module: string): readonly number[] {
    const numbers = (this.#layout.module(module)?.list?.items ?? []).map((item) =>
      Number(this.#live.get(item.key) ?? 0),
    );
    return numbers.filter((number) => number !== 0);
  }

  /** Interim value: what the shell shows. */
  read(item: ConfigItem): ParameterValue {
    return this.#interim.get(item.key) ?? item.default;
  }

  /** Sets the interim value; undefined if accepted, else the lines that the firmware prints. */
  write(item: ConfigItem, text: string): Refused | undefined {
    const parsed = PARSERS[this.#layout.family](item.spec, text);
    if (parsed.kind === 'refused') return parsed;
    if (parsed.value !== this.read(item)) this.#interim = withValue(this.#interim, item, parsed.value);
    return undefined;
  }

  private countWrite(): boolean {
    if (!this.writable) return false;
    this.#wear ??= { writes: 0, left: Number.POSITIVE_INFINITY };
    this.#wear.writes++;
    this.#wear.left--;
    return true;
  }

  private inEffect(module: string, name: string): ParameterValue | undefined {
    const item = this.#layout.find(module, name);
    return item && (this.#live.get(item.key) ?? item.default);
  }
}

function withValue(settings: Settings, item: ConfigItem, value: ParameterValue): Settings {
  const changed = new Map(settings);
  if (value === item.default) changed.delete(item.key);
  else changed.set(item.key, value);
  return changed.size === 0 ? FACTORY_SETTINGS : changed;
}

interface Kinds {
  number: number;
  string: string;
  boolean: boolean;
}

function expect<K extends keyof Kinds>(value: unknown, kind: K, module: string, name: string): Kinds[K] {
  // The comparison has checked the type, but the compiler does not narrow `value` by a type name in a variable.
  if (typeof value === kind) return value as Kinds[K];
  throw new Error(`"${module} config ${name}" is not a ${kind} parameter of this device type`);
}
