/**
 * The protocol between a run and its consoles: one JSON object a line in both directions.
 *
 *     run      {"ghostfleet":2,"run":"demo-3f9a","name":"demo","devices":300}
 *     console  {"id":1,"do":"line","on":"cellar","line":"info show","secrets":false,"folder":"/me","inside":false}
 *     run      {"id":1,"from":"cellar-0001","code":0,"lines":["vendor name: …"],"more":false}      one line for each part
 *     run      {"id":1,"done":100}                                        all devices have the request; more parts may follow
 *
 * The first line has the version; a console of another version closes the connection. The run executes the requests of one
 * console one at a time. Unknown keys are ignored, so that keys can be added without a new version.
 */
import { foreignJson } from '../kernel/json-text.js';
import type { TraceEvent } from '../trace/events.js';
import type { Answer, Candidate } from './member.js';

export const VERSION = 2;

/** The first line of a run. */
export interface Greeting {
  readonly ghostfleet: number;
  /** Name of the run for `--run`. */
  readonly run: string;
  /** Name of the scenario, or of the device of `ghostfleet device`. */
  readonly name: string;
  readonly devices: number;
}

export type Request =
  /** Runs a line on the selected devices. Files that it names are relative to `folder`, and with `inside`, only in it. */
  | {
      readonly id: number;
      readonly do: 'line';
      readonly on: string;
      readonly line: string;
      readonly secrets: boolean;
      readonly folder: string;
      readonly inside: boolean;
    }
  /** Lists the selected devices. */
  | { readonly id: number; readonly do: 'list'; readonly on: string }
  /** Completions of the last word of a line, for the first selected device. */
  | { readonly id: number; readonly do: 'complete'; readonly on: string; readonly line: string }
  /** Subscribes to the events of the selected devices; unsubscribes if `on` is null. */
  | { readonly id: number; readonly do: 'follow'; readonly on: string | null };

/** A reply has the `id` of its request. */
export type Reply =
  | ({ readonly id: number; readonly from: string } & Answer)
  | { readonly id: number; readonly device: Candidate }
  | { readonly id: number; readonly words: readonly string[] }
  /** The request was passed to this number of devices. `uncompared`: devices that the selector could not be compared with. */
  | { readonly id: number; readonly done: number; readonly uncompared?: number }
  | { readonly id: number; readonly refused: string; readonly hint?: string };

/** A message of a run that is not a reply. */
export type News =
  /** `skipped`: number of events left out before this event, because the console was too slow. */
  { readonly event: TraceEvent; readonly from: string; readonly skipped?: number } | { readonly bye: string };

export type FromRun = Reply | News;

/** Limit of characters in a request; a line of the shell has at most 255. */
export const LONGEST_REQUEST = 65_536;

/** Splits a stream of text into lines. */
export class LineSplitter {
  readonly #longest: number;
  #begun = '';

  /** @param longest limit of characters in a line */
  constructor(longest = Number.POSITIVE_INFINITY) {
    this.#longest = longest;
  }

  /** The lines that are completed by `text`. @throws Error if a line is too long */
  take(text: string): readonly string[] {
    // Only the new text is looked through, so that a long line in small pieces takes no more time than in large ones.
    const lines = text.split('\n');
    lines[0] = this.#begun + lines[0];
    this.#begun = lines.pop() ?? '';
    if (Math.max(this.#begun.length, ...lines.map((line) => line.length)) > this.#longest) {
      throw new Error(`a line has more than ${this.#longest} characters`);
    }
    return lines;
  }
}

/** Reads a request; the console may have another version. @throws Error if the request is not known */
export function readRequest(line: string): Request {
  const request = parsed(line);
  const { id, do: what, on } = request;
  const isText = (...keys: string[]) => keys.every((key) => typeof request[key] === 'string');
  const isFlag = (...keys: string[]) => keys.every((key) => typeof request[key] === 'boolean');
  const complete =
    (what === 'line' && isText('on', 'line', 'folder') && isFlag('secrets', 'inside')) ||
    (what === 'list' && isText('on')) ||
    (what === 'complete' && isText('on', 'line')) ||
    (what === 'follow' && (on === null || isText('on')));
  if (typeof id !== 'number' || !complete) throw new Error('not a request that this version knows');
  return request as unknown as Request;
}

/** Reads the first line of a run; undefined if it is not a greeting of this version. */
export function readGreeting(line: string): Greeting | undefined {
  try {
    const { ghostfleet, run, name, devices } = parsed(line);
    if (ghostfleet !== VERSION || typeof run !== 'string' || typeof name !== 'string') return undefined;
    return typeof devices === 'number' ? { ghostfleet, run, name, devices } : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a line. @throws Error if it is not a JSON object or array */
export function parsed(line: string): Readonly<Record<string, unknown>> {
  const value = foreignJson(line);
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  return value as Readonly<Record<string, unknown>>;
}
