/** The run behind the service: its progress, expectations, faults, figures and time. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RunState } from '../../../../src/control/run-state.js';
import type { RunComparison } from '../../../../src/control/travel.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import { counted } from '../../model/count.js';
import { CountTrends } from '../../model/count-trends.js';
import { atEnd, type Expectation } from '../../model/expectations.js';
import { reachedText } from '../../model/length.js';
import { hasSpacePages, runEnd, runState } from '../../model/run.js';
import { model } from '../../model/space.js';
import { Action } from '../../parts/action.js';
import { Expectations } from '../../parts/expectations.js';
import { later } from '../../parts/later.js';
import { NoRun } from '../../parts/no-run.js';
import { Sources } from '../../parts/sources.js';
import { Sparkline } from '../../parts/sparkline.js';
import { ofTab } from '../../platform/storage.js';
import { Bands } from './bands.js';
import { Faults } from './faults.js';
import { Past } from './past.js';

const Comparison = later(async () => (await import('./comparison.js')).Comparison);
const Charts = later(async () => (await import('./charts.js')).Charts);

const SPEEDS = [1, 10, 60, 300, 1200];

export function RunPage() {
  const { value: state } = runState;
  const [comparison, setComparison] = useState<RunComparison>();
  if (!state) {
    return (
      <NoRun title="Run">
        <p>
          There is no run to control. <code>ghostfleet demo</code> and <code>ghostfleet run</code> with{' '}
          <code>--clock real</code> or <code>--pace 60</code> print an address that opens it here.
        </p>
      </NoRun>
    );
  }
  // The last state is of a moment before the end.
  const judged = runEnd.value?.verdict?.expectations.map(atEnd);
  return (
    <div class="page">
      <div class="bar">
        <h1>Run</h1>
        <p class="dim">
          {printableLine(state.name)}: {counted(state.devices, 'device')}, seed {state.seed}
        </p>
        <Time state={state} />
      </div>
      {hasSpacePages.value ? (
        <Sources cloud="Curves, of the whole space" run="Expectations, faults and counts" />
      ) : (
        <p class="note missing">
          <strong>Why some pages are missing:</strong> {printableLine(state.target ?? 'the cloud')} has only the API
          that all clouds have. Overview, Fleet, Downlinks and Administration, and the curves of this page, need the
          history and the events that <code>ghostfleet serve</code> has as well. What you see here comes from the events
          of this run.
        </p>
      )}
      <div class="panels">
        <Panel title={runEnd.value ? 'Expectations' : 'Expectations so far'} name="expectations">
          <ExpectationsSoFar expectations={judged ?? state.expectations} />
        </Panel>
        <Panel title="Faults" name="faults">
          <Bands state={state} />
          {!runEnd.value && <Faults faults={state.faults} />}
        </Panel>
        {hasSpacePages.value && <Charts state={state} />}
        {state.travels && !runEnd.value && (
          <Panel title="Time travel" name="past">
            <Past state={state} compared={setComparison} />
          </Panel>
        )}
        <Panel title="Counts" name="counts">
          <Counts state={state} />
        </Panel>
      </div>
      {comparison && <Comparison comparison={comparison} state={state} />}
    </div>
  );
}

interface PanelProps {
  readonly title: string;
  readonly name: string;
  readonly children: ComponentChildren;
}

/** A part of the page that scrolls by itself, so that all parts fit one screen. */
function Panel({ title, name, children }: PanelProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls an element only with the focus in it
    <section class={`panel ${name}`} tabIndex={0} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Time({ state }: { readonly state: RunState }) {
  const { now_ms, duration_ms, paused, last_event, target } = state;
  return (
    <>
      <div class="bar time">
        <progress value={now_ms} max={duration_ms} aria-label="Progress of the run" />
        <span role="status">
          {reachedText(now_ms)} of {humanDuration(duration_ms)}
          {paused && !runEnd.value ? ', paused' : ''}
        </span>
        {target === null && !runEnd.value && <Pace state={state} />}
      </div>
      {/* On a line of its own, so that the buttons stay where they are. */}
      {paused && !runEnd.value && last_event !== null && (
        <p class="dim last-event">last: {printableLine(last_event)}</p>
      )}
    </>
  );
}

function Pace({ state: { speed, paused } }: { readonly state: RunState }) {
  const { run } = model();
  return (
    <>
      <Action run={() => run.act(paused ? 'resume' : 'pause')}>{paused ? 'Resume' : 'Pause'}</Action>
      <Action run={() => run.act('step')}>Next event</Action>
      <Action run={() => run.act('step', { for: '10m' })}>Go on 10m</Action>
      <label>
        Speed{' '}
        <select
          value={String(speed)}
          onChange={({ currentTarget }) => void run.act('speed', { speed: Number(currentTarget.value) })}
        >
          {[...new Set([...SPEEDS, speed])]
            .sort((a, b) => a - b)
            .map((each) => (
              <option key={each} value={String(each)}>
                {each === 1 ? 'real time' : `${each} times as fast`}
              </option>
            ))}
        </select>
      </label>
    </>
  );
}

const trends = new CountTrends(ofTab);

function Counts({ state }: { readonly state: RunState }) {
  const { counts } = state;
  trends.see(state);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Number</th>
          <th scope="col">Rate</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(counts).map(([name, count]) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td>{count.toLocaleString('en')}</td>
            <td>
              <Sparkline values={trends.ratesOf(name)} label={`rate of ${name} lately`} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The order in which expectations are shown. */
const ORDER = ['fails', 'undecided', 'holds'] as const;

function ExpectationsSoFar({ expectations }: { readonly expectations: readonly Expectation[] }) {
  if (expectations.length === 0) return <p class="dim">The scenario expects nothing.</p>;
  const ordered = ORDER.map((shown) => expectations.filter(({ state }) => state === shown));
  const [fails = [], undecided = [], holds = []] = ordered;
  return (
    <>
      <p>
        <span class={fails.length > 0 ? 'bad' : 'dim'}>
          <strong>{fails.length}</strong> {fails.length === 1 ? 'fails' : 'fail'}
        </span>
        ,{' '}
        <span class={undecided.length > 0 ? 'late' : 'dim'}>
          <strong>{undecided.length}</strong> {undecided.length === 1 ? 'is' : 'are'} undecided
        </span>
        ,{' '}
        <span class={holds.length > 0 ? 'good' : 'dim'}>
          <strong>{holds.length}</strong> {holds.length === 1 ? 'holds' : 'hold'}
        </span>
      </p>
      <Expectations expectations={ordered.flat()} />
    </>
  );
}
