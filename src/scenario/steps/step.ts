/** What a kind of step is. One file a kind in this folder, listed in index.ts. */
import type { Form } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { NamedText } from '../../input/text-file.js';
import type { Profile } from '../../profile/profile.js';
import type { DeviceHandle, World } from '../world.js';

/** `O`: the kind's options as plain data, as they stand in a plan. */
export interface StepKind<O> {
  /** One line for `ghostfleet list steps`. */
  readonly about: string;
  /** How it looks in a file. */
  readonly example: string;
  /** Reads the value that stands after the kind's name in the file. */
  readonly check: StepCheck<O>;
  /** What `check` takes, for editors; left out: the form that the check itself knows. */
  readonly form?: () => Form;
  /** What it does, for `ghostfleet plan`: `config: app config interval-report 900`. */
  readonly describe: (options: O) => string;
  /**
   * Carries it out for one device. The runner calls it for one device after the other, so that requests reach the
   * cloud in the same order in every run.
   * @throws Error whose message says why it could not be done; the run goes on and counts a failed step
   */
  readonly run: (world: World, device: DeviceHandle, options: O) => Promise<void>;
}

/** A check (input/checks.ts) that may also look at whom the step is for. */
export interface StepCheck<O> {
  (node: LocatedNode, problems: Problems, scope: StepScope): O | undefined;
  readonly form?: () => Form;
}

/** What the check of a step may know beside its options. */
export interface StepScope {
  /** The device types that the step is for; empty when they are not known. */
  readonly profiles: readonly Profile[];
  /** Names of the firmware images of `setup`; left out when they are not known. */
  readonly firmware?: readonly string[];
  /** A file that the scenario names, by its path from there. @throws Error whose message says why it cannot be read */
  readonly readFile: (path: string) => NamedText;
}

/** The device's id in the cloud. @throws Error when it has none */
export function cloudIdOf(device: DeviceHandle): string {
  if (device.cloudId === undefined) throw new Error(`"${device.name}" does not exist in the cloud`);
  return device.cloudId;
}
