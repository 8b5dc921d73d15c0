/** The frame of all pages: navigation, space, connection, theme. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { printableLine } from '../../../src/kernel/printable.js';
import { humanDuration } from '../../../src/kernel/time.js';
import { isAnswering, isOver } from '../api/answering.js';
import { connection } from '../api/pool.js';
import { open, session, signOut } from '../api/session.js';
import { inputs } from '../model/inputs.js';
import { reachedText } from '../model/length.js';
import { paceText } from '../model/pace.js';
import { hasPage, hasSpacePages, runEnd, runState, serviceFaults } from '../model/run.js';
import { isPresenting } from '../present.js';
import { address, route } from '../route.js';
import { switchTheme, theme } from '../theme.js';
import { tourStep } from '../tour.js';
import { focusContent } from './focus.js';
import { Icon } from './icon.js';
import { Links } from './links.js';
import { Tour } from './tour.js';

const PAGES = [
  { page: 'overview', title: 'Overview' },
  { page: 'fleet', title: 'Fleet' },
  { page: 'downlinks', title: 'Downlinks' },
  { page: 'terminal', title: 'Terminal' },
  { page: 'run', title: 'Run' },
  { page: 'scenario', title: 'Scenario' },
  { page: 'inspector', title: 'Inspector' },
  { page: 'administration', title: 'Administration' },
] as const;

const CONNECTIONS = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost',
  silent: 'no answer',
  ended: 'ended',
} as const;

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { page } = route.value;
  const { value: step } = tourStep;
  const first = useRef(page);
  // What the user has followed may be gone with its page, such as the wall: the keyboard continues in the new page.
  useEffect(() => {
    if (page !== first.current && document.activeElement === document.body) focusContent();
    first.current = page;
  }, [page]);
  const otherTheme = theme.value === 'dark' ? 'Light theme' : 'Dark theme';
  const shown = hasPage(page) ? (page === 'devices' ? 'fleet' : page) : 'run';
  return (
    <>
      <button type="button" class="skip" onClick={focusContent}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href={address('overview')}>
          ghostfleet
        </a>
        <Links label="Pages" current={shown}>
          {PAGES.filter(({ page: each }) => hasPage(each)).map((entry) => (
            <a
              key={entry.page}
              href={address(entry.page)}
              {...(entry.page === shown && { 'aria-current': 'page' as const })}
            >
              {entry.title}
            </a>
          ))}
        </Links>
        <TimeOfRun />
        <div class="tools">
          {hasSpacePages.value && <Connection />}
          <SpaceChoice />
          <button type="button" title={otherTheme} aria-label={otherTheme} onClick={switchTheme}>
            <Icon name="theme" />
          </button>
          <button
            type="button"
            title="Sign out"
            aria-label="Sign out"
            onClick={() => {
              inputs.forgetAll();
              void signOut();
            }}
          >
            <Icon name="signOut" />
          </button>
        </div>
      </header>
      <PastNote />
      {step !== undefined && !isPresenting && <Tour at={step} />}
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** A bar in a run of the past, whose pages also have another colour. */
function PastNote() {
  const { past_of_ms = null, now_ms = 0, paused = false } = runState.value ?? {};
  const isPast = past_of_ms !== null;
  useEffect(() => {
    document.documentElement.toggleAttribute('data-past', isPast);
  }, [isPast]);
  if (!isPast) return null;
  return (
    <p class="past-note">
      <strong>
        Past: {reachedText(now_ms)}
        {paused && !isOver.value ? ', paused' : ''}
      </strong>{' '}
      This run repeats the original up to {humanDuration(past_of_ms)}. What you change here does not change the
      original.
    </p>
  );
}

/** The time and the speed of the run. */
function TimeOfRun() {
  const { value: state } = runState;
  if (!state) return null;
  const { now, now_ms, duration_ms, paused } = state;
  return (
    <p class="time-of-run">
      <time dateTime={now} title={`${reachedText(now_ms)} of ${humanDuration(duration_ms)}`}>
        <span class="day">{DAY.format(new Date(now))}, </span>
        {CLOCK.format(new Date(now))}
      </time>{' '}
      {!runEnd.value && <span class={paused ? 'late' : 'dim'}>{paceText(state, isPresenting)}</span>}
    </p>
  );
}

/** The time of a run is that of its cloud, UTC. */
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' });

/** The state of the connection. If it is disturbed, the active faults of the service are shown as well. */
function Connection() {
  const seen = connection.value === 'live' && !isAnswering.value ? 'silent' : connection.value;
  // The page says why. The connection will not come back.
  const state = isOver.value ? 'ended' : seen;
  const faults = state === 'live' || state === 'ended' ? '' : serviceFaults.value;
  return (
    <span
      class={`state ${state}`}
      role="status"
      title={state === 'silent' ? 'The service does not answer requests.' : ''}
    >
      {CONNECTIONS[state]}
      {faults !== '' && ': '}
      {faults !== '' && <a href={address('run')}>{printableLine(faults)}</a>}
    </span>
  );
}

function SpaceChoice() {
  const { spaces = [], space: opened } = session.value ?? {};
  if (!opened) return null;
  if (spaces.length < 2) return <span class="space">space {printableLine(opened.name)}</span>;
  return (
    <select aria-label="Space" value={opened.id} onChange={({ currentTarget }) => void open(currentTarget.value)}>
      {spaces.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
