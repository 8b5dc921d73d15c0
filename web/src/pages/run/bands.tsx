/**
 * The faults of a run as bands on a time axis, which shows the time so far and a quarter more. What holds over the whole run is
 * a condition of the network, and a note below them.
 */

import type { RunState } from '../../../../src/control/run-state.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { isLasting, periodOf, type RunFault } from '../../model/faults.js';
import { reachedText } from '../../model/length.js';

/** Maximum number of faults that are drawn, unless more are active; a scenario can have thousands. */
const MOST = 20;
const WIDTH = 1000;
/** Minimum length of the time axis, in ms. */
const LEAST = 600_000;

export function Bands({ state: { faults, now_ms, duration_ms } }: { readonly state: RunState }) {
  const passing = faults.filter((fault) => !isLasting(fault));
  if (passing.length === 0) return null;
  const end = Math.min(duration_ms, Math.max(LEAST, now_ms * 1.25));
  const place = (at: number) => (Math.min(at, end) / end) * WIDTH;
  const near = passing.filter(({ from }) => from < end);
  const active = near.filter(({ state }) => state === 'active');
  const rest = near.filter(({ state }) => state !== 'active');
  const others = rest.slice(Math.max(0, rest.length - Math.max(0, MOST - active.length)));
  const shown = near.filter((fault) => active.includes(fault) || others.includes(fault));
  return (
    <>
      {shown.length < near.length && (
        <p class="dim">
          {shown.length} of {near.length} faults: all active ones, and the latest of the others.
        </p>
      )}
      <ul class="bands">
        {shown.map((fault) => (
          <li key={fault.id}>
            <span>
              {printableLine(fault.fault)}
              {fault.to !== null && <span class="dim"> {printableLine(fault.to)}</span>}
            </span>
            <svg viewBox={`0 0 ${WIDTH} 12`} role="img" preserveAspectRatio="none">
              <title>{sentenceOf(fault)}</title>
              <rect class="whole" x="0" width={WIDTH} y="0" height="12" />
              <rect
                class={fault.state}
                x={place(fault.from)}
                // At least 3 units wide, so that a fault that happens once is visible as a line.
                width={Math.max(3, place(fault.until ?? end) - place(fault.from))}
                y="0"
                height="12"
              />
              <rect class="now" x={place(now_ms)} width="2" y="0" height="12" />
            </svg>
          </li>
        ))}
        <li class="axis dim" aria-hidden="true">
          <span />
          <span class="ends">
            {now_ms > end / 2 && '0s'}
            <span class="at-now" style={{ left: `clamp(0px, ${place(now_ms) / 10}% - 3rem, 100% - 6rem)` }}>
              now {reachedText(now_ms)}
            </span>
          </span>
        </li>
      </ul>
    </>
  );
}

function sentenceOf({ fault, from, until, state }: RunFault): string {
  return `${printableLine(fault)}, ${state}: ${periodOf({ from, until })}`;
}
