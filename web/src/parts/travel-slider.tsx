/** A slider over the time of the run so far: the run is repeated up to the chosen moment, in a console of its own. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunState } from '../../../src/control/run-state.js';
import type { PastRun } from '../../../src/control/travel.js';
import { humanDuration } from '../../../src/kernel/time.js';
import { model } from '../model/space.js';
import { chosenMoment } from '../model/travel.js';
import { Action } from './action.js';

const MINUTE = 60_000;

interface TravelSliderProps {
  readonly state: RunState;
  /** Called when the run of the past is open. Default: a link to it is shown */
  readonly opened?: (past: PastRun) => void;
}

export function TravelSlider({ state: { now_ms }, opened }: TravelSliderProps) {
  const [past, setPast] = useState<PastRun>();
  const [asked, setAsked] = useState<number>();
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), [past]);
  // The line on the charts belongs to the slider.
  useEffect(() => {
    return () => {
      chosenMoment.value = undefined;
    };
  }, []);
  const most = Math.floor(now_ms / MINUTE) * MINUTE;
  const at = Math.min(chosenMoment.value ?? most, most);
  const name = humanDuration(at);
  if (most === 0) return <p class="dim">Time travel begins after the first minute.</p>;
  return (
    <div class="travel">
      <label>
        <span>Go back in time</span>
        <input
          type="range"
          min={0}
          max={most}
          step={MINUTE}
          value={at}
          aria-valuetext={name}
          onInput={({ currentTarget }) => {
            chosenMoment.value = Number(currentTarget.value);
          }}
        />
      </label>
      <Action
        meanwhile={`The run is repeated up to ${humanDuration(asked ?? at)} …`}
        run={async () => {
          setAsked(at);
          try {
            const begun = await model().run.goBack(`${Math.max(1, at)}ms`);
            if (opened) opened(begun);
            else setPast(begun);
          } finally {
            setAsked(undefined);
          }
        }}
      >
        Go back to {humanDuration(asked ?? at)}
      </Action>
      {past?.link != null && (
        <a ref={link} href={past.link} target="_blank" rel="noopener">
          Open the run at {humanDuration(past.at_ms)}
        </a>
      )}
    </div>
  );
}
