/** The devices behind the longest delivery times: links to the timelines and the explanations of their downlinks. */
import { humanDuration } from '../../kernel/time.js';
import type { RunResult } from '../result.js';
import { type Markup, markup, NOTHING } from './markup.js';

/** Anchor of the timelines. */
export const SLOWEST = 'slowest';

/** Anchor of the timeline or the explanation with this index. */
export function makeAnchor(kind: 'slow' | 'why', index: number): string {
  return `${kind}-${index + 1}`;
}

/** Anchor of the timeline of a downlink; undefined if the page has none. */
export function findTimeline({ downlinks }: RunResult, id: string): string | undefined {
  const at = downlinks.slowest.findIndex((timeline) => timeline.id === id);
  return at < 0 ? undefined : makeAnchor('slow', at);
}

/** Anchor of the explanation of a downlink; undefined if the page has none. */
export function findExplanation({ explanations = [] }: RunResult, id: string): string | undefined {
  const at = explanations.findIndex(({ downlink }) => downlink === id);
  return at < 0 ? undefined : makeAnchor('why', at);
}

/** A text that leads to an anchor, if there is one. */
export function writeLink(text: string, anchor: string | undefined): Markup {
  return anchor === undefined ? markup`${text}` : markup`<a href="#${anchor}">${text}</a>`;
}

/** Number of devices that are named. */
const NAMED = 5;

/** The devices of the slowest downlinks, each with a link to its timeline. */
export function linkSlowest(result: RunResult): Markup {
  const { downlinks, names } = result;
  if (downlinks.slowest.length === 0) return NOTHING;
  const links = downlinks.slowest.slice(0, NAMED).map(({ serial, total }, i) => {
    const who = `${names[String(serial)] ?? serial} ${humanDuration(total)}`;
    return markup`<li>${writeLink(who, makeAnchor('slow', i))}</li>`;
  });
  return markup`<ul class="behind"><li>The slowest:</li>${links}</ul>`;
}
