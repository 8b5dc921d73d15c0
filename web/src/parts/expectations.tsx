/** Expectations of a scenario, each with its state. */
import { printableLine } from '../../../src/kernel/printable.js';
import type { Expectation } from '../model/expectations.js';

export function Expectations({ expectations }: { readonly expectations: readonly Expectation[] }) {
  return (
    <ul class="messages">
      {expectations.map(({ line, state, sentence, cause }) => (
        <li key={line} class={state}>
          <StateBadge state={state} /> <code>{printableLine(line)}</code>
          <p class="dim">{printableLine(sentence)}</p>
          {cause !== null && <p class="cause">{printableLine(cause)}</p>}
        </li>
      ))}
    </ul>
  );
}

const BADGES = { holds: 'good', fails: 'bad', undecided: 'late' } as const;

export function StateBadge({ state }: Pick<Expectation, 'state'>) {
  return <span class={`badge ${BADGES[state]}`}>{state}</span>;
}
