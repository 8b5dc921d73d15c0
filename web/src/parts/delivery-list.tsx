/** Deliveries of a connector, each with its attempts. */
import type { Delivery } from '../../../src/client/types.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { humanDuration } from '../../../src/kernel/time.js';
import { attemptsText, resultOf } from '../model/deliveries.js';
import { Ago } from './ago.js';

export function DeliveryList({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) return <p class="dim">Nothing has been forwarded yet.</p>;
  return (
    <ul class="messages">
      {deliveries.map((delivery) => (
        <li key={delivery.id}>
          <Attempts delivery={delivery} />
        </li>
      ))}
    </ul>
  );
}

function Attempts({ delivery: { state, attempts, created_at, log } }: { readonly delivery: Delivery }) {
  return (
    <details>
      <summary>
        <span class={`badge ${state === 'delivered' ? 'sent' : state}`}>{state}</span>
        <Ago at={Date.parse(created_at)} />
        <span class="dim">{attemptsText({ state, attempts, log })}</span>
      </summary>
      <ol class="inside">
        {log.map(({ attempt, at, took, target, status, error, response }) => (
          <li key={attempt}>
            <Ago at={Date.parse(at)} /> {target ?? ''} {resultOf({ status, error })}
            {took > 0 && ` in ${humanDuration(took)}`} {printableLine(response ?? '')}
          </li>
        ))}
      </ol>
    </details>
  );
}
