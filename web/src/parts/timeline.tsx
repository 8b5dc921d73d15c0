/** The timeline of a downlink: its stations to scale, and as a list. */
import type { TimelineEntry } from '../../../src/client/types.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { current } from '../api/session.js';
import { lengthText } from './ago.js';
import { Failure } from './failure.js';
import { useLoad } from './load.js';

interface TimelineProps {
  readonly messageId: string;
  /** Changes when the timeline has to be read again. */
  readonly state: string | null;
}

export function Timeline({ messageId, state }: TimelineProps) {
  const { value = [], failure } = useLoad(() => current().client.timeline(messageId), [messageId, state]);
  return (
    <div class="timeline">
      <Failure text={failure} />
      <Scale entries={value} />
      <ol>
        {value.map(({ id, at, what, detail }) => (
          <li key={id}>
            <time dateTime={at} title={new Date(at).toLocaleString()}>
              +{lengthText(Date.parse(at) - startOf(value))}
            </time>{' '}
            <span class={`station ${what}`}>{what}</span>{' '}
            {detail !== null && what !== 'answered' && <span>{printableLine(detail)}</span>}
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
      <title>{`From queued to ${entries.at(-1)?.what ?? ''} in ${lengthText(length)}`}</title>
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
