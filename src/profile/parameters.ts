/**
 * What a configuration parameter is: name, type, limits, default and help text, as plain data.
 *
 * Profiles carry these specs; src/device/config gives them behaviour (reading, writing, refusing). One list of specs is
 * shared by all devices of a profile (firmware shell, 3).
 */

/** Parameters that are registered together and share a shell word: `app`, `ble`, `tag`, `lrw`, `lte`, … */
export interface ModuleSpec {
  /** Word in the shell: the settings prefix up to its first `-` (firmware shell, 3.2). */
  readonly name: string;
  /** Name in the settings storage, as `config modules` lists it: `app-clime`, `lte`. */
  readonly prefix: string;
  /** In the order of `config show`. */
  readonly parameters: readonly ParameterSpec[];
  /** Number of slots for BLE tag addresses; only the module `tag` has them (firmware shell, 5.9). */
  readonly slots?: number;
  /** A list of numbers that is set with commands of its own (applications: wmbus). */
  readonly list?: ListSpec;
  /** Parameters that listings leave out (applications: motion). */
  readonly hidden?: HiddenSpec;
}

/** `app config address add 12345678`: up to `capacity` numbers, each at most once. */
interface ListSpec {
  readonly name: string;
  readonly capacity: number;
}

export interface HiddenSpec {
  readonly parameters: readonly string[];
  /** They are listed while this parameter of the module has this value. */
  readonly unless: { readonly parameter: string; readonly is: string };
}

interface Parameter {
  readonly name: string;
  /** What the help line says after the name; several lines for a few texts (lte mode, lte bands). */
  readonly help: string;
}

/** A whole number from `min` to `max`. */
export interface IntParameter extends Parameter {
  readonly type: 'int';
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** A single-precision number from `min` to `max`, shown with two decimals. */
interface FloatParameter extends Parameter {
  readonly type: 'float';
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

interface BoolParameter extends Parameter {
  readonly type: 'bool';
  readonly default: boolean;
}

/** One of `values`, case sensitive. */
interface EnumParameter extends Parameter {
  readonly type: 'enum';
  readonly values: readonly string[];
  readonly default: string;
}

/** At most `maxLength` characters. */
export interface StringParameter extends Parameter {
  readonly type: 'string';
  readonly maxLength: number;
  readonly default: string;
  /** A check of its own, by name; src/device/config/checks.ts has them all. */
  readonly check?: StringCheck;
  /** With the check `device-slot`: the device types that a slot may name, and their numbers. */
  readonly types?: SlotTypes;
}

/** Names of device types with their numbers, `em1xx` → 7. */
export type SlotTypes = Readonly<Record<string, number>>;

/** `size` bytes, written as lower-case hex digits. */
export interface HexParameter extends Parameter {
  readonly type: 'hex';
  /** In bytes. */
  readonly size: number;
  /** Hex digits, twice `size` of them. */
  readonly default: string;
}

export type ParameterSpec =
  | IntParameter
  | FloatParameter
  | BoolParameter
  | EnumParameter
  | StringParameter
  | HexParameter;

/** What a parameter may hold: numbers for int and float, texts for enum, string and hex. */
export type ParameterValue = ParameterSpec['default'];

/** Texts that the firmware checks beyond their length (firmware shell, 3.4; applications: serial). */
export const STRING_CHECKS = ['lte-mode', 'lte-bands', 'lte-network', 'device-slot'] as const;
export type StringCheck = (typeof STRING_CHECKS)[number];

/** Names a configuration parameter: `{ module: 'app', name: 'interval-report' }`. */
export interface ParameterRef {
  readonly module: string;
  readonly name: string;
}
