/** Explains the slowest downlinks: a paragraph each, with a timeline that can be unfolded. */
import type { ExplainedEntry, Explanation } from '../../explain/explanation.js';
import { humanDuration } from '../../kernel/time.js';
import { describeOutcome } from '../explanation/what-if.js';
import type { RunResult } from '../result.js';
import { type Markup, markup, NOTHING } from './markup.js';
import { findTimeline, makeAnchor } from './slow.js';

/** Maximum number of rows of a timeline. The middle of a longer timeline is left out. */
const LONGEST = 60;

export function writeExplanations(result: RunResult): Markup {
  const { explanations: all = [] } = result;
  if (all.length === 0) return NOTHING;
  return markup`<h3 id="why-it-took-so-long">Why it took so long</h3>${all.map((one, i) => writeExplained(one, makeAnchor('why', i), result))}`;
}

function writeExplained(explanation: Explanation, anchor: string, result: RunResult): Markup {
  const { downlink, text, timeline, sooner, notSooner = [] } = explanation;
  const drawn = findTimeline(result, downlink);
  const link = drawn === undefined ? NOTHING : markup`<span class="to"> <a href="#${drawn}">Drawn above</a></span>`;
  const changes = [
    ...sooner.map(({ change, time }) => markup`<li>${change}: about ${humanDuration(time)}</li>`),
    ...notSooner.map((each) => markup`<li>${each.change}, not sooner: ${describeOutcome(each, each.time)}</li>`),
  ];
  const half = LONGEST / 2;
  const cut = timeline.length > LONGEST;
  const left = timeline.length - LONGEST;
  const rows = cut
    ? markup`${timeline.slice(0, half).map(writeRow)}<tr><td></td><td class="faint">… ${left} more</td></tr>${timeline.slice(-half).map(writeRow)}`
    : markup`${timeline.map(writeRow)}`;
  return markup`<div class="why" id="${anchor}"><p>${text}${link}</p><details><summary>timeline, and what would have delivered it sooner</summary>
${changes.length === 0 ? NOTHING : markup`<ul>${changes}</ul>`}
<table class="events"><tbody>${rows}</tbody></table></details></div>`;
}

function writeRow({ at, kind, what }: ExplainedEntry): Markup {
  const mark = kind === 'failure' ? '✗ ' : '';
  return markup`<tr><td>+${humanDuration(at)}</td><td>${mark}${what}</td></tr>`;
}
