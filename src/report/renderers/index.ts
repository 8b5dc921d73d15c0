/** The forms that a report can take. To add one: write its file, list it here. */
import type { RunResult } from '../result.js';
import { json } from './json.js';
import { text } from './text.js';

export interface RenderOptions {
  /** Colour codes for a terminal. Default: none. */
  readonly colour?: boolean;
}

/** A report as text, ended by a line feed. */
export type Renderer = (result: RunResult, options?: RenderOptions) => string;

export const RENDERERS = { text, json } as const satisfies Readonly<Record<string, Renderer>>;
