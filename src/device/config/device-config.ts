/**
 * The configuration of one device, in its three copies (firmware shell, 3.2 and firmware behaviour, 11):
 *
 *     flash ──boot──► live      what the running firmware obeys
 *       ▲   └─boot──► interim   what the shell shows and changes
 *       └───── save ────┘
 *
 * A fleet has 100,000 of these, so a copy holds only what differs from the defaults, copies are never changed in place,
 * and all three are the same object until somebody writes. Devices that start alike may share one {@link Settings},
 * too.
 */
import type { ParameterValue } from '../../profile/parameters.js';
import type { ConfigItem, ConfigLayout } from './layout.js';
import { parseValue } from './parse.js';

/** The values that differ from the defaults, by {@link ConfigItem.key}. */
export type Settings = ReadonlyMap<string, ParameterValue>;

/** A device as it comes from the factory: everything at its default. */
const FACTORY_SETTINGS: Settings = new Map();

export class DeviceConfig {
  readonly layout: ConfigLayout;
  #flash: Settings;
  #live: Settings;
  #interim: Settings;
  /** Made by the first write: most devices are never written to. */
  #wear: { writes: number; left: number } | undefined;

  /** `flash` is what the settings storage holds when the device is first switched on. */
  constructor(layout: ConfigLayout, flash: Settings = FACTORY_SETTINGS) {
    this.layout = layout;
    this.#flash = flash;
    this.#live = flash;
    this.#interim = flash;
  }

  /** What survives a reboot; hand it to another device of the profile to make it start with the same configuration. */
  get flash(): Settings {
    return this.#flash;
  }

  /** A boot: the firmware starts with what is in flash, and unsaved changes are gone. */
  boot(): void {
    this.#live = this.#flash;
    this.#interim = this.#flash;
  }

  /** Writes the interim copy to flash. The firmware obeys it after the next boot. False: the flash does not take it. */
  save(): boolean {
    if (!this.#write()) return false;
    this.#flash = this.#interim;
    return true;
  }

  /** Erases flash. The defaults hold after the next boot. False: the flash does not let itself be erased. */
  reset(): boolean {
    if (!this.#write()) return false;
    this.#flash = FACTORY_SETTINGS;
    return true;
  }

  /** Whether flash would take another write. */
  get writable(): boolean {
    return this.#wear === undefined || this.#wear.left > 0;
  }

  /** How often settings have been written or erased. */
  get writes(): number {
    return this.#wear?.writes ?? 0;
  }

  /** Makes the flash fail after so many more writes; Infinity: it is as new. */
  wear(writesLeft: number): void {
    this.#wear = { writes: this.writes, left: writesLeft };
  }

  /** Live value of an int or float parameter. @throws Error when the device type has no such parameter */
  number(module: string, name: string): number {
    return expect(this.#obeyed(module, name), 'number', module, name);
  }

  /** Live value of an enum, string or hex parameter. @throws Error when the device type has no such parameter */
  text(module: string, name: string): string {
    return expect(this.#obeyed(module, name), 'string', module, name);
  }

  /** Live value of a bool parameter. @throws Error when the device type has no such parameter */
  flag(module: string, name: string): boolean {
    return expect(this.#obeyed(module, name), 'boolean', module, name);
  }

  /** Live BLE address in slot `n` of a module, 12 hex digits; undefined when the slot is empty or does not exist. */
  slot(module: string, n: number): string | undefined {
    const item = this.layout.module(module)?.slots[n];
    const address = item && this.#live.get(item.key);
    return address === undefined ? undefined : String(address);
  }

  /** Writes a value to all three copies at once; leaves other unsaved changes unsaved. False when it was refused, or flash does not take it. */
  store(item: ConfigItem, text: string): boolean {
    const parsed = parseValue(item.spec, text);
    if (parsed.kind === 'refused' || !this.#write()) return false;
    this.#flash = withValue(this.#flash, item, parsed.value);
    this.#live = withValue(this.#live, item, parsed.value);
    this.#interim = withValue(this.#interim, item, parsed.value);
    return true;
  }

  /** Changes a value in flash alone, as a tool beside the firmware does; undefined erases it. False: flash does not take it. */
  poke(item: ConfigItem, value: ParameterValue | undefined): boolean {
    if (!this.#write()) return false;
    this.#flash = withValue(this.#flash, item, value ?? item.default);
    return true;
  }

  /** Live numbers of a module's list, without the empty places. */
  list(module: string): readonly number[] {
    const numbers = (this.layout.module(module)?.list?.items ?? []).map((item) =>
      Number(this.#live.get(item.key) ?? 0),
    );
    return numbers.filter((number) => number !== 0);
  }

  /** Interim value: what the shell shows. */
  read(item: ConfigItem): ParameterValue {
    return this.#interim.get(item.key) ?? item.default;
  }

  /**
   * Changes the interim value to what `text` says. Returns undefined when it was accepted, otherwise the lines that the
   * firmware prints; the value is then as before.
   */
  write(item: ConfigItem, text: string): readonly string[] | undefined {
    const parsed = parseValue(item.spec, text);
    if (parsed.kind === 'refused') return parsed.lines;
    if (parsed.value !== this.read(item)) this.#interim = withValue(this.#interim, item, parsed.value);
    return undefined;
  }

  #write(): boolean {
    if (!this.writable) return false;
    this.#wear ??= { writes: 0, left: Number.POSITIVE_INFINITY };
    this.#wear.writes++;
    this.#wear.left--;
    return true;
  }

  #obeyed(module: string, name: string): ParameterValue | undefined {
    const item = this.layout.find(module, name);
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
  // Because typeof has just said so; the compiler does not follow a type in a variable.
  if (typeof value === kind) return value as Kinds[K];
  throw new Error(`"${module} config ${name}" is not a ${kind} parameter of this device type`);
}
