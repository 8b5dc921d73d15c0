/** The timeline of a downlink: its entries, called stations, on a line to scale and as a list. */
import type { Message, TimelineEntry } from '../../../src/client/types.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { humanDuration } from '../../../src/kernel/time.js';
import { current } from '../api/session.js';
import { withStart } from '../model/story.js';
import { momentText } from './ago.js';
import { type Loaded, useLoad } from './load.js';

/** The timeline of a downlink, which is read again when its state or its latest station changes. */
export function useTimeline(message: Message, station?: string): Loaded<readonly TimelineEntry[]> {
  const { id, down_state, down_attempt } = message;
  const read = async () => withStart(message, await current().client.timeline(id));
  return useLoad(read, [id, down_state, down_attempt, station]);
}

export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  return (
    <div class="timeline">
      <Scale entries={entries} />
      <ol>
        {entries.map(({ id, at, what, detail }) => (
          <li key={id}>
            <time dateTime={at} title={momentText(Date.parse(at))}>
              +{humanDuration(Date.parse(at) - startOf(entries))}
            </time>{' '}
            <span class={`station ${what}`}>{what}</span>
            {detail !== null && what !== 'answered' && <span class="dim"> ({printableLine(detail)})</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

const WIDTH = 600;

/** The stations on a line, to scale. */
function Scale({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  const start = startOf(entries);
  const length = Date.parse(entries.at(-1)?.at ?? '') - start;
  if (!(length > 0)) return null;
  const place = (at: string) => 4 + ((Date.parse(at) - start) / length) * (WIDTH - 8);
  return (
    <svg class="scale" viewBox={`0 0 ${WIDTH} 14`} role="img" preserveAspectRatio="none">
      <title>{`From queued to ${entries.at(-1)?.what ?? ''} in ${humanDuration(length)}`}</title>
      <line x1="4" x2={WIDTH - 4} y1="7" y2="7" />
      {entries.map(({ id, at, what }) => (
        <rect key={id} class={what} x={place(at) - 2} y="1" width="4" height="12" />
      ))}
    </svg>
  );
}

function startOf(entries: readonly TimelineEntry[]): number {
  return Date.parse(entries[0]?.at ?? '');
}
