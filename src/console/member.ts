/** A device for a console: the fields for selectors, the shell, and the controls of steps (scenario/world.ts). */
import type { Random } from '../kernel/random.js';
import type { Millis } from '../kernel/time.js';
import type { Profile } from '../profile/profile.js';
import type { SelectableDevice } from '../scenario/selector/device.js';
import type { StepCall } from '../scenario/steps/index.js';
import type { DeviceHandle, ShellResult } from '../scenario/world.js';

/** A device in the output of `.list`. */
export type Candidate = Required<Omit<SelectableDevice, 'number' | 'region'>>;

/** What a device does at this moment. */
export interface Doing {
  /** `trouble`: its modem is off, or searches for the network. */
  readonly kind: 'off' | 'asleep' | 'awake' | 'trouble';
  /** `asleep`, `sending fragment 3 of 11 of its report` */
  readonly text: string;
}

export interface Member extends Required<SelectableDevice>, Omit<DeviceHandle, 'shell'> {
  readonly type: Profile;
  readonly doing: Doing;
  /** Time until its next regular report and poll; null if none is planned. */
  readonly due: { readonly report: Millis | null; readonly poll: Millis | null };
  /** Completions of the last word of a line. */
  complete(line: string): readonly string[];
  /**
   * Runs a line on the shell and returns the first part of the output. Further parts are passed to `later`; the last one has
   * `more: false`.
   * @throws Error if no firmware runs
   */
  shell(line: string, later?: (part: Answer) => void): Answer & ShellResult;
}

/** A part of the output of a shell command or a control command. */
export interface Answer {
  /** 0, 1 (help was printed), or a negative errno; -1 also for a line that was not executed. */
  readonly code: number;
  readonly lines: readonly string[];
  /** Whether further parts follow. */
  readonly more: boolean;
}

/** The devices of a run. */
export interface Fleet {
  readonly name: string;
  readonly size: number;
  /** Names of the tags of its devices, which selectors can use without quotation marks. */
  readonly tags: readonly string[];
  members(): Iterable<Member>;
  /** Random source for selectors that pick a random sample of the devices (scenario/selector/match.ts). */
  readonly random: Random;
  /**
   * Records an action on a device in the trace.
   * @param action description without secrets @param call the step that a control command stands for
   */
  noted(serial: number, action: string, call?: StepCall): void;
}
