/** The interface of the kinds of steps. Each kind has a file in this folder and is listed in index.ts. */
import type { Form } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { NamedText } from '../../input/text-file.js';
import type { Millis } from '../../kernel/time.js';
import type { Profile } from '../../profile/profile.js';
import type { DownlinkType } from '../../trace/events.js';
import type { Sending } from '../values/sending.js';
import type { DeviceHandle, World } from '../world.js';

interface StepWords {
  /** One line for `ghostfleet list steps`. */
  readonly about: string;
  /** An example, as in a scenario file. */
  readonly example: string;
}

/** `O`: the options of the kind, as plain data for a plan. */
export interface StepKind<O> extends StepWords {
  /** Reads the value after the name of the kind. */
  readonly check: StepCheck<O>;
  /** JSON Schema of the options, for editors. Default: the form of `check`. */
  readonly form?: () => Form;
  /** Description of the options, for `ghostfleet plan`: `app config interval-report 900`. */
  readonly describe: (options: O) => string;
  /** Type of the downlink that the step queues; left out if it queues none. */
  readonly queues?: DownlinkType;
  /** What the step acts on; `settings` if it may change the configuration or the firmware of the device. */
  readonly actsOn: 'cloud' | 'settings' | 'network' | 'device';
  /** How the step affects exchanges with the cloud, for explanations; undefined if it does not, or if it only ends an effect. */
  readonly effect: (options: O) => StepEffect | undefined;
  /** The kind whose lasting effect the step ends, if that is not its own kind. */
  readonly endsEffectOf?: StepWords;
  /** What the step does to a device before its first start, for warnings about steps without an effect. */
  readonly beforeStart: (options: O) => BeforeStart;
  /**
   * Executes the step for one device. The runner calls it for one device at a time, so that requests reach the cloud in the
   * same order in every run.
   * @throws Error with the reason; the run continues and counts a failed step
   */
  readonly run: (world: World, device: DeviceHandle, options: O) => Promise<void>;
}

export interface StepEffect {
  /**
   * `blocks`: no exchange succeeds. `hinders`: exchanges fail by chance, or take longer. `restarts`: the device restarts.
   * `disturbs`: the modem fails once.
   */
  readonly effect: 'blocks' | 'hinders' | 'restarts' | 'disturbs';
  /** Name in `net.fault` events, or `brown-out` for a weak battery; null if the step leaves no sign. */
  readonly sign: string | null;
  /** `datagrams`: the device sends datagrams in vain or late. `device`: it has no network, or does not work. */
  readonly on: 'datagrams' | 'device';
  /** Whether the effect lasts until the next step of the kind. */
  readonly lasts: boolean;
}

export const BLOCKS: StepEffect = { effect: 'blocks', sign: null, on: 'device', lasts: true };
export const HINDERS: StepEffect = { effect: 'hinders', sign: null, on: 'datagrams', lasts: true };
export const RESTARTS: StepEffect = { effect: 'restarts', sign: null, on: 'datagrams', lasts: false };
/** For `effect` of kinds that never affect exchanges. */
export const noEffect = (): undefined => undefined;

/** `starts`: it switches the device on. `stays`: it applies until another step. A number: it applies for this time only. */
type BeforeStart = 'starts' | 'stays' | Millis;

/** For `beforeStart`. */
export const stays = (): BeforeStart => 'stays';

/** A check (input/checks.ts) that also uses the context of the step. */
export interface StepCheck<O> {
  (node: LocatedNode, problems: Problems, scope: StepScope): O | undefined;
  readonly form?: () => Form;
}

/** Context for the check of a step. */
export interface StepScope extends Sending {
  /** Device types of the devices of the step; empty if they are not known. */
  readonly profiles: readonly Profile[];
  /** Names of the firmware images of `setup`; left out if they are not known. */
  readonly firmware?: readonly string[] | undefined;
  /** Reads a file; `path` is relative to the folder of the scenario. @throws Error with the reason */
  readonly readFile: (path: string) => NamedText;
}

/** The id of the device in the cloud. @throws Error if the device does not exist in the cloud */
export function cloudIdOf(device: DeviceHandle): string {
  if (device.cloudId === undefined) throw new Error(`"${device.name}" does not exist in the cloud`);
  return device.cloudId;
}
