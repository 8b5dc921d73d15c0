/** The section of the text report that explains the slowest downlinks. */
import { explanationParagraph } from '../explanation/text.js';
import type { RunResult } from '../result.js';

/** Maximum number of explanations in the text report; the HTML report contains all of them. */
const SHOWN = 3;

export function explanations({ explanations: all = [], out }: RunResult, width: number): readonly string[] {
  if (all.length === 0) return [];
  const more = out === null ? [] : [`  more: ghostfleet explain ${out} --slowest ${all.length}`];
  const paragraphs = all.slice(0, SHOWN).map((each) => explanationParagraph(each, width - 2));
  // The lines of a paragraph after the first are indented more, so that the eye finds where the next paragraph begins.
  const lines = paragraphs.flatMap(([first = '', ...rest]) => [first, ...rest.map((line) => `  ${line}`)]);
  return ['why it took so long', ...lines, ...more];
}
