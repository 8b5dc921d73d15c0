/** A request to the port of a run, as its handler gets it. */
import { ApiFault } from '../cloud/http/errors.js';
import type { RealClock } from '../kernel/real-clock.js';
import type { RunControls } from './controls.js';
import type { Scenarios } from './scenarios.js';

/** An answer that arrives in parts. */
export interface Parts {
  /** Whether the client has disconnected. */
  readonly isOver: boolean;
  send(value: unknown): void;
}

/** An answer that the browser shows as a page; all others are JSON. */
export class HtmlPage {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

export interface Request {
  readonly controls: RunControls;
  readonly scenarios: Scenarios;
  /** Real time. */
  readonly clock: RealClock;
  /** Last segment of the path, for a path that names one resource. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly lines: Parts;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly status: number;
  readonly handle: (request: Request) => unknown;
}

/** @throws ApiFault 400 */
export function text(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ApiFault(400, `body/${name} must be a text`);
}

/** @throws ApiFault 400 */
export function optionalText(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  return body[name] === undefined ? undefined : text(body, name);
}

/** @throws ApiFault 400 */
export function optionalNumber(body: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new ApiFault(400, `body/${name} must be a whole number from 0`);
}
