/** The section of the text report that explains the slowest downlinks. */
import { explanationParagraph } from '../explanation/text.js';
import type { RunResult } from '../result.js';

/** Explanations shown; the HTML report has all. */
const SHOWN = 3;

export function explanations({ explanations: all = [], out }: RunResult, width: number): readonly string[] {
  if (all.length === 0) return [];
  const more = out === null ? [] : [`  more: ghostfleet explain ${out} --slowest ${all.length}`];
  return ['why it took so long', ...all.slice(0, SHOWN).flatMap((each) => explanationParagraph(each, width)), ...more];
}
