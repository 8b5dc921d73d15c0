/**
 * A device as a console sees it: what it can be selected by, its shell and its controls. The runner makes one on demand;
 * a fleet at rest has none.
 */
import type { Random } from '../kernel/random.js';
import type { Profile } from '../profile/profile.js';
import type { SelectableDevice } from '../scenario/selector/device.js';
import type { DeviceHandle } from '../scenario/world.js';

/** A running device as a list shows it. */
export type Candidate = Required<Omit<SelectableDevice, 'number' | 'region'>>;

export interface Member extends Required<SelectableDevice> {
  readonly handle: DeviceHandle;
  readonly type: Profile;
  /** What may stand in place of the last word of a line. */
  complete(line: string): readonly string[];
  /**
   * Runs a line on its shell. What comes later goes to `later`, until a part has no `more`.
   * @throws Error while no firmware runs
   */
  shell(line: string, later: (part: Answer) => void): Answer;
}

/** What a device, or a command of the bench, has printed. */
export interface Answer {
  /** 0, 1 (help was printed) or a negative errno. */
  readonly code: number;
  readonly lines: readonly string[];
  /** The command goes on. */
  readonly more: boolean;
}

/** The devices of a run. */
export interface Fleet {
  /** Name of the run. */
  readonly name: string;
  readonly size: number;
  members(): Iterable<Member>;
  /** Samples are drawn with it (scenario/selector/match.ts). */
  readonly random: Random;
  /** Records an action on one of them in the trace. @param action without secrets */
  noted(serial: number, action: string): void;
}
