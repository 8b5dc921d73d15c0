/** The formats of a report. To add one: write its file and list it here. */
import { writeSeriesCsv } from './csv.js';
import { renderHtml } from './html.js';
import { renderJson } from './json.js';
import { renderJunit } from './junit.js';
import type { Renderer } from './renderer.js';
import { renderText } from './text.js';

/** Formats of a report, each a file in an output directory. */
export type ReportFormat = 'html' | 'text' | 'json' | 'junit' | 'series';

export const RENDERERS = {
  text: renderText,
  json: renderJson,
  html: renderHtml,
  junit: renderJunit,
  series: writeSeriesCsv,
} as const satisfies Readonly<Record<ReportFormat, Renderer>>;

/** The file of each format, small ones first: they still fit on a nearly full disk. Events and downlinks come apart. */
export const REPORT_FILES = {
  junit: 'junit.xml',
  text: 'report.txt',
  json: 'summary.json',
  series: 'series.csv',
  html: 'report.html',
} as const satisfies Readonly<Record<ReportFormat, string>>;

/** All formats, in the order of their files. */
export const REPORT_FORMATS = Object.keys(REPORT_FILES) as readonly ReportFormat[];
