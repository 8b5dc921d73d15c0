/** Time travel: repeats the run up to a moment, in a separate console, and compares it with the original. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunState } from '../../../../src/control/run-state.js';
import type { PastRun, RunComparison } from '../../../../src/control/travel.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import { AGAIN } from '../../api/answering.js';
import { model } from '../../model/space.js';
import { Action } from '../../parts/action.js';
import { useLoad } from '../../parts/load.js';
import { TravelSlider } from '../../parts/travel-slider.js';

/** How far both runs go on for a comparison. */
const LENGTHS = ['30m', '2h', '6h', '1d'] as const;

interface PastProps {
  readonly state: RunState;
  readonly compared: (comparison: RunComparison) => void;
}

export function Past({ state, compared }: PastProps) {
  const { run } = model();
  const { value: pasts = [], reload } = useLoad(() => run.pastRuns(), []);
  const [newest, setNewest] = useState('');
  const [lasts, setLasts] = useState<string>('2h');
  const isComparing = pasts.some(({ comparing }) => comparing);
  // The page that has begun the comparison may be gone, for example after a reload.
  useEffect(() => {
    if (!isComparing) return;
    const timer = setInterval(reload, AGAIN);
    return () => clearInterval(timer);
  }, [isComparing]);
  const opened = ({ id }: PastRun) => {
    setNewest(id);
    reload();
  };
  const enter = async (at: number) => opened(await run.goBack(`${Math.floor(at)}ms`));
  return (
    <>
      <p class="dim">
        The run is repeated up to a moment and pauses there, in a window of its own. Inject or lift a fault there, or
        enter a line; then compare. At most two such runs are open.
      </p>
      <TravelSlider state={state} opened={opened} />
      <ul class="messages spaced">
        {pasts.map((past) => (
          <li key={past.id}>
            <Entry
              past={past}
              isNew={past.id === newest}
              compare={async () => {
                compared(await run.compare(past.id, lasts));
                reload();
              }}
              enter={enter}
            />
          </li>
        ))}
      </ul>
      {pasts.some(({ link }) => link !== null) && (
        <label>
          Compare{' '}
          <select value={lasts} onChange={({ currentTarget }) => setLasts(currentTarget.value)}>
            {LENGTHS.map((length) => (
              <option key={length} value={length}>
                the next {length}
              </option>
            ))}
            <option value="">to the end, {humanDuration(state.duration_ms)}</option>
          </select>
        </label>
      )}
    </>
  );
}

interface EntryProps {
  readonly past: PastRun;
  /** Whether the user has just opened this run. */
  readonly isNew: boolean;
  readonly compare: () => Promise<void>;
  /** Repeats the run up to a moment again. @param at in ms of the run */
  readonly enter: (at: number) => Promise<void>;
}

function Entry({ past: { at_ms, link, comparing, compared }, isNew, compare, enter }: EntryProps) {
  const name = humanDuration(at_ms);
  const open = useRef<HTMLAnchorElement>(null);
  // Sets the focus only if the user has not moved it meanwhile.
  useEffect(() => {
    const { activeElement } = document;
    if (isNew && (activeElement === document.body || activeElement?.closest('.past'))) open.current?.focus();
  }, [isNew]);
  if (comparing) return <>The run at {name} is compared with the original. Both runs go on …</>;
  if (compared) {
    return (
      <>
        <span class="badge dim">ended</span> The run at {name} was compared with the original.{' '}
        <Action label={`Show the comparison: the run at ${name}`} run={compare}>
          Show the comparison
        </Action>
      </>
    );
  }
  if (link === null) {
    return (
      <>
        <span class="badge dim">ended</span> The run at {name} has ended, because another run was opened.{' '}
        <Action label={`Enter it again: the run at ${name}`} run={() => enter(at_ms)}>
          Enter it again
        </Action>
      </>
    );
  }
  return (
    <>
      <a ref={open} href={link} target="_blank" rel="noopener">
        Open the run at {name}
      </a>{' '}
      <Action label={`Compare with the original: the run at ${name}`} run={compare} meanwhile=" Both runs go on …">
        Compare with the original
      </Action>
    </>
  );
}
