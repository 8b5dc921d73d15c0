/** The first page: the fleet at a glance, its figures, and what happened last. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Happening, keyOf } from '../../model/happenings.js';
import { happenings } from '../../model/log.js';
import { runState } from '../../model/run.js';
import { model } from '../../model/space.js';
import { Ago } from '../../parts/ago.js';
import { DeviceLink } from '../../parts/device-link.js';
import { Icon } from '../../parts/icon.js';
import { Sources } from '../../parts/sources.js';
import { isPresenting } from '../../present.js';
import { address } from '../../route.js';
import { showTourStep, tourStep } from '../../tour.js';
import { Figures } from './figures.js';
import { Wall } from './wall.js';

/** Height of the page beside the wall, in px. */
const besideWall = (): number =>
  isPresenting ? 26 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize) : 460;

/** For those who see the page for the first time. */
const ABOUT =
  'Each square is a device. It sleeps, and wakes up by itself to report: what is sent to it, a downlink, waits until then.';

export function OverviewPage() {
  const { fleet } = model();
  const [height, setHeight] = useState(window.innerHeight);
  useEffect(() => {
    const resize = () => setHeight(window.innerHeight);
    addEventListener('resize', resize);
    return () => removeEventListener('resize', resize);
  }, []);
  const isEmpty = fleet.isComplete.value && fleet.rows.length === 0;
  return (
    <div class="page overview">
      <div class="bar">
        <h1>Overview</h1>
        <p class="dim">{ABOUT}</p>
        {!isPresenting && (
          <div class="bar aside">
            {runState.value && tourStep.value === undefined && (
              <button type="button" onClick={() => showTourStep(0)}>
                Tour
              </button>
            )}
            <a class="button" href={`?present${address('overview')}`}>
              <Icon name="present" /> Present
            </a>
          </div>
        )}
      </div>
      <Sources cloud="Devices, downlinks and curves, of the whole space" run="Faults" />
      <Figures />
      {isEmpty ? (
        <p class="empty">
          No device is registered yet. <a href={address('fleet')}>Register one in the fleet</a>.
        </p>
      ) : (
        <Wall height={Math.max(160, height - besideWall())} />
      )}
      <Happenings />
    </div>
  );
}

/** Number of sentences on the page. */
const SHOWN = 12;

function Happenings() {
  const { value: all } = happenings;
  const [held, hold] = useState<readonly Happening[]>();
  const box = useRef<HTMLElement>(null);
  const shown = held ?? all.slice(0, SHOWN);
  // A link must not move away from the pointer, nor leave the page with the focus.
  const stay = () => hold(isPresenting ? undefined : shown);
  const leave = ({ relatedTarget }: FocusEvent | MouseEvent) => {
    const { activeElement } = document;
    const isHere = (target: EventTarget | null) => target instanceof Node && box.current?.contains(target);
    if (!isHere(relatedTarget) && !isHere(activeElement)) hold(undefined);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list only waits while the user is at its links
    <section ref={box} onMouseEnter={stay} onFocusIn={stay} onMouseLeave={leave} onFocusOut={leave}>
      <div class="bar">
        <h2>What happened last</h2>
        {held && held[0] !== all[0] && <span class="dim">Newer sentences wait until you leave the list.</span>}
      </div>
      {all.length === 0 && <p class="dim">Nothing yet.</p>}
      <ol class="happenings">
        {shown.map((each) => (
          <Sentence key={keyOf(each)} {...each} />
        ))}
      </ol>
    </section>
  );
}

function Sentence({ at, deviceId, text, tone }: Happening) {
  return (
    <li class={tone}>
      <span class="dim">
        <Ago at={at} />
      </span>
      <span>
        {deviceId !== undefined && <DeviceLink id={deviceId} />} {text}.
      </span>
    </li>
  );
}
