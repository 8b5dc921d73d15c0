/** The summary of a run as Markdown, for a build server or a pull request. The whole report is folded away in it. */
import { printableTexts } from '../../kernel/printable.js';
import { humanDuration } from '../../kernel/time.js';
import { explainFailure } from '../cause.js';
import { foldText, plainMarkdown, writeMarkdownTable } from '../markdown.js';
import type { RunResult } from '../result.js';
import { describeValue, getMark, getVerdict } from '../verdict.js';
import { renderText } from './text.js';

export function renderMarkdown(unsafe: RunResult): string {
  const result = printableTexts(unsafe);
  const { scenario, seed, digest, simulatedMs, wallMs, reproduce, expectations, failure, warnings } = result;
  const about = `seed ${seed} · digest ${digest} · ${humanDuration(simulatedMs)} simulated in ${humanDuration(wallMs)}`;
  return [
    `### ${plainMarkdown(`${scenario}: ${getVerdict(result).word}`)}`,
    '',
    `- ${plainMarkdown(about)}`,
    `- ${plainMarkdown(reproduce)}`,
    ...(failure === null ? [] : [`- ✗ ${plainMarkdown(failure)}`]),
    ...warnings.map((warning) => `- ⚠️ ${plainMarkdown(warning)}`),
    '',
    ...writeMarkdownTable(
      [{ title: '' }, { title: 'expectation' }, { title: 'result' }],
      expectations.map((one) => [
        getMark(one).mark,
        one.line,
        one.passed ? describeValue(one) : explainFailure(one, result),
      ]),
    ),
    ...foldText('Report', renderText(unsafe)),
  ].join('\n');
}
