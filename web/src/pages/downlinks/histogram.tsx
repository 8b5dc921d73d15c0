/** How long delivered downlinks took, by type; at first without those of sessions, which devices cause themselves. */
import { useState } from 'preact/hooks';
import type { Message } from '../../../../src/client/types.js';
import { deliveryTimes, histogramOf } from '../../model/downlinks.js';
import { lengthText } from '../../model/length.js';

/** Choices beside the types. */
const [MOST_TYPES, ALL_TYPES] = ['', '*'];

export function Histogram({ messages }: { readonly messages: readonly Message[] }) {
  const [type, setType] = useState(MOST_TYPES);
  const types = [...new Set(messages.map((message) => message.type))].sort();
  const chosen = messages.filter((message) => isChosen(message, type));
  const bars = histogramOf(chosen);
  const times = deliveryTimes(chosen);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const share = (part: number) => lengthText(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0);
  return (
    <section>
      <h2>Time from queued to sent</h2>
      <p>
        <select aria-label="Type" value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
          <option value={MOST_TYPES}>all but sessions</option>
          <option value={ALL_TYPES}>all types</option>
          {types.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>{' '}
        <span class="dim">
          {times.length === 0
            ? 'nothing delivered yet'
            : `${times.length} delivered: half within ${share(0.5)}, 95 % within ${share(0.95)}`}
        </span>
      </p>
      <table class="bars">
        <thead class="hidden">
          <tr>
            <th scope="col">Within</th>
            <th scope="col">Downlinks</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ upTo, count }) => (
            <tr key={upTo}>
              <th scope="row">{upTo}</th>
              <td>
                <span class="bar-line" style={{ width: `${(count / most) * 80}%` }} /> {count}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function isChosen({ type }: Message, choice: string): boolean {
  if (choice === ALL_TYPES) return true;
  return choice === MOST_TYPES ? type !== 'session' : type === choice;
}
