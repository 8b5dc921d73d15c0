/** How long delivered downlinks took, by type. */
import { useState } from 'preact/hooks';
import type { Message } from '../../../../src/client/types.js';
import { deliveryTimes, histogramOf } from '../../model/downlinks.js';
import { lengthText } from '../../model/length.js';

export function Histogram({ messages }: { readonly messages: readonly Message[] }) {
  const [type, setType] = useState('');
  const types = [...new Set(messages.map((message) => message.type))].sort();
  const chosen = type === '' ? messages : messages.filter((message) => message.type === type);
  const bars = histogramOf(chosen);
  const times = deliveryTimes(chosen);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const share = (part: number) => lengthText(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0);
  return (
    <section>
      <h2>Time from queued to sent</h2>
      <p>
        <select aria-label="Type" value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
          <option value="">all types</option>
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
