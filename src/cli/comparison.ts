/** What `compare` and `ab` share: the options of a comparison, and how its result is shown. */
import type { Argv } from 'yargs';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { KINDS, reserve, writeWhole } from '../kernel/write-files.js';
import { type Comparison, compareSides } from '../report/compare/compare.js';
import type { Condition } from '../report/compare/condition.js';
import { writeComparisonHtml, writeMessagePage } from '../report/compare/html.js';
import { writeComparisonJson } from '../report/compare/json.js';
import { writeComparisonMarkdown } from '../report/compare/markdown.js';
import type { Side } from '../report/compare/side.js';
import { writeComparisonText } from '../report/compare/text.js';
import { plainMarkdown } from '../report/markdown.js';
import { parseCondition } from './fail-if.js';
import { getTextWidth, type Host } from './host.js';
import { MARKDOWN, REPEATED } from './values.js';

export interface ComparisonFlags {
  readonly 'fail-if': readonly string[];
  readonly json: boolean;
  readonly html: string | undefined;
  readonly markdown: string | undefined;
}

export function addComparisonOptions(parser: Argv): Argv {
  return parser
    .option('fail-if', {
      ...REPEATED,
      describe:
        'change of B for which the command ends with exit code 3, such as "downlink.answered p(95) > +10%"; may be repeated (default: any difference)',
    })
    .option('json', { type: 'boolean', default: false, describe: 'print one JSON object instead of the table' })
    .option('html', { type: 'string', requiresArg: true, describe: 'file for the comparison as a page' })
    .option('markdown', MARKDOWN);
}

/** The conditions of `--fail-if`. @throws UsageError with all problems */
export function readConditions({ 'fail-if': lines }: ComparisonFlags): readonly Condition[] {
  const read = lines.map(parseCondition);
  const wrong = read.filter((one) => typeof one === 'string');
  if (wrong.length > 0) throw new UsageError('bad-condition', wrong.map((why) => `--fail-if ${why}`).join('\n'));
  return read.filter((one) => typeof one !== 'string');
}

/** Checks that the files can be written; call it before the work. See {@link reserve}. @throws UsageError */
export function reserveFiles({ html, markdown }: ComparisonFlags, folder?: string): void {
  if (html !== undefined) reserve(html, KINDS.page, folder);
  if (markdown !== undefined) reserve(markdown, KINDS.summary, folder);
}

interface Shown {
  readonly sides: readonly [Side, Side];
  readonly conditions: readonly Condition[];
  /** What readers have to know about the runs. */
  readonly remarks: readonly string[];
  /** See {@link Comparison.partial}. */
  readonly partial?: string | undefined;
}

/** Compares the sides, prints the result and writes its files. */
export function showComparison(
  { sides: [a, b], conditions, remarks, partial }: Shown,
  { json, html, markdown }: ComparisonFlags,
  { out }: Host,
): ExitCode {
  const compared = compareSides(a, b, conditions);
  const comparison: Comparison = partial === undefined ? compared : { ...compared, partial };
  out.write(
    json ? writeComparisonJson(comparison, remarks) : writeComparisonText(comparison, remarks, getTextWidth(out)),
  );
  if (html !== undefined) writeWhole(html, writeComparisonHtml(comparison, remarks));
  if (markdown !== undefined) writeWhole(markdown, writeComparisonMarkdown(comparison, remarks));
  return exitOf(comparison);
}

/** Says in every format why the sides were not compared: a file of an earlier one must not stay. */
export function showNoComparison(why: string, { json, html, markdown }: ComparisonFlags, { out }: Host): void {
  const headline = 'not compared';
  if (json) out.write(`${JSON.stringify({ verdict: headline, partial: why }, null, 2)}\n`);
  if (html !== undefined) writeWhole(html, writeMessagePage(headline, why));
  if (markdown !== undefined) writeWhole(markdown, `### ${headline}\n\n${plainMarkdown(why)}\n`);
}

function exitOf({ conditions, different }: Comparison): ExitCode {
  const outcomes = conditions.map(({ outcome }) => outcome);
  if (outcomes.length === 0) return different ? EXIT.expectation : EXIT.fine;
  if (outcomes.includes('met')) return EXIT.expectation;
  return outcomes.includes('undecided') ? EXIT.stuck : EXIT.fine;
}
