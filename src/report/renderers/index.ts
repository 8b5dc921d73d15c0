/** The forms that a report can take. To add one: write its file, list it here. */
import type { RunResult } from '../result.js';
import { seriesCsv } from './csv.js';
import { html } from './html.js';
import { json } from './json.js';
import { junit } from './junit.js';
import { text } from './text.js';

export interface RenderOptions {
  /** Colour codes for a terminal. Default: none. */
  readonly colour?: boolean;
}

/** A report as text, ended by a line feed. */
export type Renderer = (result: RunResult, options?: RenderOptions) => string;

export const RENDERERS = { text, json, html, junit, series: seriesCsv } as const satisfies Readonly<
  Record<string, Renderer>
>;

/** What a directory of reports holds, beside the events and the downlinks, which are too many for a result. */
export const REPORT_FILES = {
  'report.html': html,
  'report.txt': text,
  'summary.json': json,
  'junit.xml': junit,
  'series.csv': seriesCsv,
} as const satisfies Readonly<Record<string, Renderer>>;
