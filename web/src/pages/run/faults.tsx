/** The faults of a run: the active and planned ones, and a form to inject another one. */

import type { FaultKind } from '../../../../src/control/run-state.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { counted } from '../../model/count.js';
import type { Run, RunFault } from '../../model/run.js';
import { model } from '../../model/space.js';
import { Action } from '../../parts/action.js';
import type { Field } from '../../parts/fields.js';
import { Form } from '../../parts/form.js';
import { useLoad } from '../../parts/load.js';
import { periodOf } from './bands.js';

const OTHERS: readonly Field[] = [
  { name: 'to', label: 'Devices (none: all)', kind: 'text', hint: 'tag/cellar' },
  { name: 'lasts', label: 'For (none: until it is lifted)', kind: 'text', hint: '10m' },
];

/** Maximum number of planned faults in the list. */
const MOST_PLANNED = 5;

export function Faults({ faults }: { readonly faults: readonly RunFault[] }) {
  const { run } = model();
  const { value: kinds = [] } = useLoad(() => run.faultKinds(), []);
  return (
    <section>
      <h2>Faults</h2>
      <ActiveFaults faults={faults} run={run} />
      <Form
        title="Inject a fault"
        button="Inject"
        fields={[faultField(kinds), ...OTHERS]}
        tags={[]}
        submit={(values) => {
          const fault = values.needed('fault').trim();
          // If the user enters only the name of a fault, its example is injected.
          const text = kinds.find(({ name }) => name === fault)?.example ?? fault;
          return run.inject(text, values.text('to') ?? '', values.text('lasts') ?? '');
        }}
      />
    </section>
  );
}

interface ActiveFaultsProps {
  readonly faults: readonly RunFault[];
  readonly run: Run;
}

/** The active and the next planned faults, each with a button that lifts it. */
export function ActiveFaults({ faults, run }: ActiveFaultsProps) {
  const planned = faults.filter(({ state }) => state === 'planned');
  // Only the first planned faults are shown, because a scenario can plan hundreds.
  const shown = [...faults.filter(({ state }) => state === 'active'), ...planned.slice(0, MOST_PLANNED)];
  const later = planned.slice(MOST_PLANNED);
  return (
    <>
      {shown.length === 0 && <p class="dim">No fault is active.</p>}
      <ul class="messages spaced">
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
      {later.length > 0 && <p class="dim">Planned later: {counted(later.length, 'fault')}.</p>}
    </>
  );
}

function faultField(kinds: readonly FaultKind[]): Field {
  const suggestions = kinds.map(({ example, about }) => ({ value: example, about }));
  const common = { name: 'fault', label: 'Fault, as in a scenario', kind: 'text', isRequired: true } as const;
  return { ...common, hint: 'outage: both', suggestions };
}

const BADGES = { planned: 'late', active: 'bad', over: 'dim' } as const;
