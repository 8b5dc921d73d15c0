/** Faults of the network of a run: those that act, and the form for another one. */

import { printableLine } from '../../../../src/kernel/printable.js';
import { lengthText } from '../../model/length.js';
import type { RunFault } from '../../model/run.js';
import { model } from '../../model/space.js';
import { Action } from '../../parts/action.js';
import type { Field } from '../../parts/fields.js';
import { Form } from '../../parts/form.js';

const FIELDS: readonly Field[] = [
  { name: 'fault', label: 'Fault, as in a scenario', kind: 'text', isRequired: true, initial: 'loss: 50%' },
  { name: 'to', label: 'Devices (none: all)', kind: 'text', hint: 'tag/cellar' },
  { name: 'lasts', label: 'For (none: until it is lifted)', kind: 'text', hint: '10m' },
];

export function Faults({ faults }: { readonly faults: readonly RunFault[] }) {
  const { run } = model();
  const shown = faults.filter(({ state }) => state !== 'over');
  return (
    <section>
      <h2>Faults</h2>
      {shown.length === 0 && <p class="dim">No fault acts.</p>}
      <ul class="messages">
        {shown.map((fault) => (
          <li key={fault.id}>
            <span class={`badge ${BADGES[fault.state]}`}>{fault.state}</span> <code>{printableLine(fault.fault)}</code>{' '}
            {fault.to !== null && `for ${printableLine(fault.to)} `}
            <span class="dim">{periodOf(fault)}</span>{' '}
            <Action run={() => run.lift(fault.id)} label={`Lift ${printableLine(fault.fault)}`}>
              Lift
            </Action>
          </li>
        ))}
      </ul>
      <Form
        title="Inject a fault"
        button="Inject"
        fields={FIELDS}
        tags={[]}
        submit={(values) => run.inject(values.needed('fault'), values.text('to') ?? '', values.text('lasts') ?? '')}
      />
    </section>
  );
}

const BADGES = { planned: 'late', active: 'bad', over: 'dim' } as const;

function periodOf({ from, until }: RunFault): string {
  return `from ${lengthText(from)} ${until === null ? 'until it is lifted' : `to ${lengthText(until)}`}`;
}
