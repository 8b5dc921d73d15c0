/** The section of the text report that explains the slowest downlinks. */
import { explanationParagraph } from '../explanation/text.js';
import type { RunResult } from '../result.js';

/** Maximum number of explanations in the text; the HTML report has all. */
const SHOWN = 3;

export function explanations({ explanations: all = [], out }: RunResult, width: number): readonly string[] {
  if (all.length === 0) return [];
  const more = out === null ? [] : [`  more: ghostfleet explain ${out} --slowest ${all.length}`];
  const paragraphs = all.slice(0, SHOWN).map((each) => explanationParagraph(each, width - 2));
  // Further lines of a paragraph are indented more, so that its beginning can be seen.
  const lines = paragraphs.flatMap(([first = '', ...rest]) => [first, ...rest.map((line) => `  ${line}`)]);
  return ['why it took so long', ...lines, ...more];
}
