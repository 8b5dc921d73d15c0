/**
 * A device as a console sees it: what it can be selected by, its shell, and the hands on it. The runner makes one when somebody
 * looks; a fleet at rest has none.
 */
import type { Profile } from '../profile/profile.js';
import type { DeviceHandle } from '../scenario/world.js';

/**
 * `off`: no power, or no firmware that runs; `starting`: booted, its application does not run yet; `ready`: awake, something is
 * under way; `asleep`: at rest until its next task.
 */
export const STATES = ['off', 'starting', 'ready', 'asleep'] as const;
export type State = (typeof STATES)[number];

/** What a device can be selected by. */
export interface Candidate {
  readonly name: string;
  readonly serial: number;
  /** Name of its group; that of its profile when it is no part of a fleet. */
  readonly group: string;
  /** Name of its device type. */
  readonly profile: string;
  readonly tags: readonly string[];
  /** Version of the firmware that it runs: `v3.5.1`. */
  readonly fw: string;
  /** Percent of its charge that are left. */
  readonly battery: number;
  readonly state: State;
}

export interface Member extends Candidate {
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
  /** Takes note of what somebody has done to one of them. @param action without secrets */
  noted(serial: number, action: string): void;
}
