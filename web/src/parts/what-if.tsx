/** What would have delivered a downlink sooner, found by repeating its device; only in virtual time. */
import { useState } from 'preact/hooks';
import type { Explanation } from '../../../src/explain/explanation.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { humanDuration } from '../../../src/kernel/time.js';
import { runState } from '../model/run.js';
import { model } from '../model/space.js';
import { Action } from './action.js';

interface WhatIfProps {
  /** Id of the downlink. */
  readonly id: string;
  /** Serial number of its device. */
  readonly serial: string;
}

export function WhatIf({ id, serial }: WhatIfProps) {
  const [answer, setAnswer] = useState<Explanation>();
  if (!runState.value?.travels && runState.value?.past_of_ms == null) return null;
  return (
    <div class="what-if">
      <Action
        label="What if? Repeats the device without the causes"
        run={async () => setAnswer(await model().run.explain(id, serial, true))}
      >
        What if?
      </Action>
      <ul aria-live="polite">
        {answer?.sooner.map(({ change, time }) => (
          <li key={change}>
            {printableLine(change)}: <strong>{humanDuration(time)}</strong>
          </li>
        ))}
        {answer?.notSooner?.map(({ change, time, outcome, received }) => (
          <li key={change} class="dim">
            Not sooner {printableLine(change)}: {received ? outcome : 'lost'} after {humanDuration(time)}
          </li>
        ))}
        {answer?.sooner.length === 0 && answer.notSooner === undefined && (
          <li class="dim">
            {answer.unknown.map(printableLine).join(' ') || 'Nothing known would have delivered it sooner.'}
          </li>
        )}
      </ul>
    </div>
  );
}
