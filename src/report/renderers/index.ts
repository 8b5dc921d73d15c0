/** The formats of a report. To add one: write its file and list it here. */
import { seriesCsv } from './csv.js';
import { html } from './html.js';
import { json } from './json.js';
import { junit } from './junit.js';
import type { Renderer } from './renderer.js';
import { text } from './text.js';

export const RENDERERS = { text, json, html, junit, series: seriesCsv } as const satisfies Readonly<
  Record<string, Renderer>
>;

/** Files in the output directory, besides the events and the downlinks, which are written separately. */
export const REPORT_FILES = {
  'report.html': html,
  'report.txt': text,
  'summary.json': json,
  'junit.xml': junit,
  'series.csv': seriesCsv,
} as const satisfies Readonly<Record<string, Renderer>>;
