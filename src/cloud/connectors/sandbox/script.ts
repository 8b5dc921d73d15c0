/** A user's script, its limits and its result. */
import type { UnixMillis } from '../../../kernel/time.js';
import type { Owner } from '../../store/fair-queue.js';

export interface Script {
  /** The script runs in an engine of its space only. */
  readonly spaceId: string;
  /** Tenant and part (store/fair-queue.ts). Scripts of a part run one by one. */
  readonly owner: Owner;
  /** JavaScript, ES2020, with a function `main(job)`. */
  readonly source: string;
  /** Argument of `main`: a JSON value. Absent: only the top level of the script runs, and its value is null. */
  readonly job?: unknown;
  /** Time of `Date` at the start of the script; it advances with the steps of the script. */
  readonly now: UnixMillis;
  /** Seed of `Math.random`; positive. */
  readonly seed: number;
}

export type ScriptResult =
  /** The value that `main` returned, as a JSON value; null for undefined. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** The script failed; `why` is the message for its author. */
  | { readonly kind: 'failed'; readonly why: string };

/** Message to a thread (worker.mjs) that is to run a script. */
export interface WorkerTask {
  readonly spaceId: string;
  readonly source: string;
  /** Argument of `main` as JSON text; undefined: `main` is not called. */
  readonly job: string | undefined;
  readonly now: UnixMillis;
  readonly seed: number;
}

/** The worker's answer to a script: JSON text, or an error. */
export type WorkerAnswer = { readonly json: string } | { readonly error: string };

export interface Limits {
  /** Limit in bytes of the engine's memory beyond its first 16 MiB, most of which are free. */
  readonly memory: number;
  /** Maximum size of a script's stack, in bytes. */
  readonly stack: number;
  /** Maximum number of calls of the interrupt handler. The engine calls it every 10,000 steps of a script. */
  readonly interrupts: number;
  /** Maximum number of characters of the returned value as JSON. */
  readonly output: number;
}

export const LIMITS: Limits = { memory: 33_554_432, stack: 262_144, interrupts: 5000, output: 1_048_576 };

export const TOO_LONG = 'the script took too long';
export const TOO_MUCH = 'the script used too much memory, or nested too deeply';
