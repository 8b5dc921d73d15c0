/** The resources of the MCP server: the pages of the documentation, and the reports of runs. */
import { readdirSync, readFileSync } from 'node:fs';
import { quote } from '../input/problems.js';
import { pathInside, readRegular } from '../input/text-file.js';
import { UsageError } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';
import { REPORT_FILES } from '../report/renderers/index.js';
import type { Desk } from './mcp-desk.js';
import { packagePath } from './package-files.js';

/** A page of the documentation. */
interface Page {
  /** `SCENARIOS.md` */
  readonly name: string;
  readonly title: string;
  readonly text: () => string;
}

export const DOCS = 'ghostfleet://docs/';
export const REPORTS = 'ghostfleet://runs/';

/** The pages, with the table of contents first. */
export function listPages(): readonly Page[] {
  const names = readdirSync(packagePath('docs/')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...names.filter((name) => name !== 'README.md')].map((name) => {
    const text = () => readFileSync(packagePath(`docs/${name}`), 'utf8');
    return { name, title: /^# (.*)/m.exec(text())?.[1] ?? name, text };
  });
}

/** Files of a run that a model can read. */
const FILES: Readonly<Record<string, string>> = {
  [REPORT_FILES.text]: 'text/plain',
  [REPORT_FILES.json]: 'application/json',
  [REPORT_FILES.series]: 'text/csv',
  'downlinks.csv': 'text/csv',
};

/** A report of a run. */
interface Report {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

export function listReports(run: string): readonly Report[] {
  return Object.entries(FILES).map(([file, mimeType]) => ({
    uri: `${REPORTS}${encodeURIComponent(run)}/${file}`,
    name: printableLine(`${run}/${file}`),
    mimeType,
  }));
}

/** @throws UsageError for a run or a file that does not exist */
export function readReport(
  desk: Desk,
  run: string,
  file: string,
): { readonly mimeType: string; readonly text: string } {
  const mimeType = FILES[file];
  if (mimeType === undefined)
    throw new UsageError('no-report', `${quote(file)} is not one of ${Object.keys(FILES).join(', ')}`);
  return { mimeType, text: readRegular(pathInside(desk.findRun(run), file, 'is not in the folder of the run')) };
}
