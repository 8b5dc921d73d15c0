/**
 * Configuration parameters as plain data: name, type, limits, default and help text (shell S-9).
 *
 * A profile has a list of these specs, shared by all its devices; src/device/config reads, writes and checks the values.
 */

/** Parameters that are registered together and share a shell word: `app`, `ble`, `tag`, `lrw`, `lte`, … */
export interface ModuleSpec {
  /** Word in the shell: the settings prefix up to its first `-` (shell S-9). */
  readonly name: string;
  /** Name in the settings storage, as `config modules` lists it: `app-clime`, `lte`. */
  readonly prefix: string;
  /** In the order of `config show`. */
  readonly parameters: readonly ParameterSpec[];
  /** Number of slots for BLE tag addresses; only the module `tag` has them (shell S-35). */
  readonly slots?: number | undefined;
  /** A list of numbers with its own commands (catalog.json, wmbus). */
  readonly list?: ListSpec | undefined;
  /** Parameters that listings omit (catalog.json, motion). */
  readonly hidden?: HiddenSpec | undefined;
}

/** `app config address add 12345678`: up to `capacity` numbers, each at most once. */
interface ListSpec {
  readonly name: string;
  readonly capacity: number;
}

export interface HiddenSpec {
  readonly parameters: readonly string[];
  /** Listings show the hidden parameters while this parameter of the module has this value. */
  readonly unless: { readonly parameter: string; readonly is: string };
}

interface Parameter {
  readonly name: string;
  /** Text of the help line after the name; several lines for some parameters (lte mode, lte bands). */
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

/** One of `values`; case-sensitive. */
interface EnumParameter extends Parameter {
  readonly type: 'enum';
  readonly values: readonly string[];
  readonly default: string;
}

/** At most `maxLength` bytes. */
export interface StringParameter extends Parameter {
  readonly type: 'string';
  readonly maxLength: number;
  readonly default: string;
  /** Name of an additional check; src/device/config/checks.ts has the checks. */
  readonly check?: StringCheck | undefined;
  /** For the check `device-slot`: the valid device types, and their numbers. */
  readonly types?: SlotTypes | undefined;
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

/** Value of a parameter: a number for int and float, true or false for bool, a text for enum, string and hex. */
export type ParameterValue = ParameterSpec['default'];

/** Checks of texts beyond their length (shell S-17; catalog.json, serial). */
export const STRING_CHECKS = ['lte-mode', 'lte-bands', 'lte-network', 'device-slot'] as const;
export type StringCheck = (typeof STRING_CHECKS)[number];

/** Reference to a configuration parameter: `{ module: 'app', name: 'interval-report' }`. */
export interface ParameterRef {
  readonly module: string;
  readonly name: string;
}
