/** The faults of a run: the active and planned ones, and a form to inject another one. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { FaultKind } from '../../../../src/control/run-state.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { counted } from '../../model/count.js';
import { faultName, isLasting, periodOf, type RunFault } from '../../model/faults.js';
import { questionFor } from '../../model/many.js';
import type { Run } from '../../model/run.js';
import { model } from '../../model/space.js';
import { Action } from '../../parts/action.js';
import type { Field } from '../../parts/fields.js';
import { Form } from '../../parts/form.js';
import { useLoad } from '../../parts/load.js';

const OTHERS: readonly Field[] = [
  { name: 'to', label: 'Devices (none: all)', kind: 'text', hint: 'tag/cellar' },
  { name: 'lasts', label: 'For (none: until it is lifted)', kind: 'text', hint: '10m' },
];

/** Maximum number of planned faults in the list. */
const MOST_PLANNED = 3;
/** How long a lifted fault can be restored by a button, in real ms. */
const REGRET = 10_000;

export function Faults({ faults }: { readonly faults: readonly RunFault[] }) {
  const { run } = model();
  const { value: kinds = [] } = useLoad(() => run.faultKinds(), []);
  return (
    <>
      <ActiveFaults faults={faults} run={run} />
      <Form
        title="Inject a fault"
        button="Inject"
        fields={[faultField(kinds), ...OTHERS]}
        tags={[]}
        done="The fault is injected: see the list above."
        ask={async (values) => {
          const { devices } = await run.selection(values.text('to') ?? 'all');
          return questionFor('The fault affects', devices);
        }}
        submit={(values) => {
          const fault = values.needed('fault').trim();
          // If the user enters only the name of a fault, its example is injected.
          const text = kinds.find(({ name }) => name === fault)?.example ?? fault;
          return run.inject(text, values.text('to') ?? '', values.text('lasts') ?? '');
        }}
      />
    </>
  );
}

interface ActiveFaultsProps {
  readonly faults: readonly RunFault[];
  readonly run: Run;
}

/** The active and the next planned faults, each with a button that lifts it, and for some seconds one that undoes this. */
export function ActiveFaults({ faults, run }: ActiveFaultsProps) {
  const [lifted, setLifted] = useState<RunFault>();
  const undo = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!lifted) return;
    // The button that had the focus has gone with its fault.
    undo.current?.querySelector('button')?.focus();
    const timer = setTimeout(() => setLifted(undefined), REGRET);
    return () => clearTimeout(timer);
  }, [lifted]);
  const passing = faults.filter((fault) => !isLasting(fault));
  const planned = passing.filter(({ state }) => state === 'planned');
  // Only the first planned faults are shown, because a scenario can plan hundreds.
  const shown = [...passing.filter(({ state }) => state === 'active'), ...planned.slice(0, MOST_PLANNED)];
  const lasting = faults.filter((fault) => isLasting(fault));
  const later = planned.slice(MOST_PLANNED);
  const lift = (fault: RunFault) => (
    <Action
      run={async () => {
        await run.lift(fault.id);
        setLifted(fault);
      }}
      label={`Lift ${faultName(fault)} ${periodOf(fault)}`}
    >
      Lift
    </Action>
  );
  return (
    <>
      {lifted && (
        <div class="undo" role="status" ref={undo}>
          {faultName(lifted)} is lifted.{' '}
          <Action
            run={async () => {
              await run.restore(lifted.id);
              setLifted(undefined);
            }}
          >
            Undo
          </Action>
        </div>
      )}
      {shown.length === 0 && <p class="dim">No fault is active.</p>}
      <ul class="messages spaced">
        {shown.map((fault) => (
          <li key={fault.id}>
            <span>
              <span class={`badge ${BADGES[fault.state]}`}>{fault.state}</span> {printableLine(fault.fault)}{' '}
              {fault.to !== null && `for ${printableLine(fault.to)} `}
              <span class="dim">{periodOf(fault)}</span>
            </span>{' '}
            {lift(fault)}
          </li>
        ))}
      </ul>
      {later.length > 0 && <p class="dim">Planned later: {counted(later.length, 'fault')}.</p>}
      {lasting.map((fault) => (
        <p key={fault.id} class="dim note">
          Always: {faultName(fault)} {fault.state === 'active' && lift(fault)}
        </p>
      ))}
    </>
  );
}

function faultField(kinds: readonly FaultKind[]): Field {
  const suggestions = kinds.map(({ example, about }) => ({ value: example, about }));
  const common = { name: 'fault', label: 'Fault, as in a scenario', kind: 'text', isRequired: true } as const;
  return { ...common, hint: 'outage: both', suggestions };
}

const BADGES = { planned: 'new', active: 'bad', over: 'dim' } as const;
