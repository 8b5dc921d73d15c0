/**
 * What a run and its consoles say to each other: one JSON object a line, both ways.
 *
 *     run      {"ghostfleet":1,"run":"demo-3f9a","name":"demo","devices":300}
 *     console  {"id":1,"do":"line","on":"cellar","line":"info show","secrets":false,"folder":"/home/me"}
 *     run      {"id":1,"from":"cellar-0001","code":0,"lines":["vendor name: …"],"more":false}      one for each part
 *     run      {"id":1,"done":100}                                        all devices have been asked; late parts may follow
 *
 * The first line names the version; a console that knows another one leaves. Requests of one console are answered one after the
 * other. Unknown keys are ignored, so that small things can be added.
 */
import type { TraceEvent } from '../trace/events.js';
import type { Answer, Candidate } from './member.js';

export const VERSION = 1;

/** The first line of a run. */
export interface Greeting {
  readonly ghostfleet: number;
  /** What `--run` chooses it by. */
  readonly run: string;
  /** Name of the scenario, or of the only device. */
  readonly name: string;
  readonly devices: number;
}

export type Request =
  /** Runs a line on the selected devices. */
  | {
      readonly id: number;
      readonly do: 'line';
      readonly on: string;
      readonly line: string;
      readonly secrets: boolean;
      readonly folder: string;
    }
  /** Lists the selected devices. */
  | { readonly id: number; readonly do: 'list'; readonly on: string }
  /** Completions of the last word of a line, for the first selected device. */
  | { readonly id: number; readonly do: 'complete'; readonly on: string; readonly line: string }
  /** Subscribes to the events of the selected devices; `on` null: unsubscribes. */
  | { readonly id: number; readonly do: 'follow'; readonly on: string | null };

/** An answer belongs to the request with its `id`. */
export type Reply =
  | ({ readonly id: number; readonly from: string } & Answer)
  | { readonly id: number; readonly device: Candidate }
  | { readonly id: number; readonly words: readonly string[] }
  /** The request is dealt with, for so many devices. */
  | { readonly id: number; readonly done: number }
  | { readonly id: number; readonly refused: string; readonly hint?: string };

/** What a run says without having been asked. */
export type News =
  /** `skipped`: so many events before this one were left out, because the console did not keep up. */
  { readonly event: TraceEvent; readonly from: string; readonly skipped?: number } | { readonly bye: string };

export type FromRun = Reply | News;

/** Characters of a request; a line of the shell has 255. */
export const LONGEST_REQUEST = 65_536;

/** Takes a stream of text apart into lines. */
export class Lines {
  readonly #longest: number;
  #begun = '';

  /** @param longest a line with more characters is an error */
  constructor(longest = Number.POSITIVE_INFINITY) {
    this.#longest = longest;
  }

  /** The lines that end in `text`. @throws Error for one that is too long */
  take(text: string): readonly string[] {
    const lines = (this.#begun + text).split('\n');
    this.#begun = lines.pop() ?? '';
    if (Math.max(this.#begun.length, ...lines.map((line) => line.length)) > this.#longest) {
      throw new Error(`a line has more than ${this.#longest} characters`);
    }
    return lines;
  }
}

/** Reads what a console says. It comes from the same user, but maybe from another version. @throws Error for anything else */
export function readRequest(line: string): Request {
  const request = parsed(line);
  const { id, do: what, on } = request;
  const isText = (...keys: string[]) => keys.every((key) => typeof request[key] === 'string');
  const complete =
    (what === 'line' && isText('on', 'line', 'folder') && typeof request.secrets === 'boolean') ||
    (what === 'list' && isText('on')) ||
    (what === 'complete' && isText('on', 'line')) ||
    (what === 'follow' && (on === null || isText('on')));
  if (typeof id !== 'number' || !complete) throw new Error('not a request that this version knows');
  // Because every key of the request's kind was looked at.
  return request as unknown as Request;
}

/** Reads the first line of a run; undefined when it is not one, or of another version. */
export function readGreeting(line: string): Greeting | undefined {
  try {
    const { ghostfleet, run, name, devices } = parsed(line);
    if (ghostfleet !== VERSION || typeof run !== 'string' || typeof name !== 'string') return undefined;
    return typeof devices === 'number' ? { ghostfleet, run, name, devices } : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error when it is not an object */
export function parsed(line: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  // Because any object can be looked at by its keys.
  return value as Readonly<Record<string, unknown>>;
}
