/** What differs between a run of the past and the original: in sentences, as curves over each other, and as the first event. */
import { useEffect, useRef } from 'preact/hooks';
import type { RunState } from '../../../../src/control/run-state.js';
import type { RunComparison, RunEnd } from '../../../../src/control/travel.js';
import { printable, printableLine } from '../../../../src/kernel/printable.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import { bandsOf, CHARTS, startOf, textOf } from '../../model/charts.js';
import { counted } from '../../model/count.js';
import { stateOf } from '../../model/expectations.js';
import { curvesOf, differencesOf, momentBand } from '../../model/travel.js';
import { Chart } from '../../parts/chart.js';
import { StateBadge } from '../../parts/expectations.js';

interface ComparisonProps {
  readonly comparison: RunComparison;
  readonly state: RunState;
}

export function Comparison({ comparison, state }: ComparisonProps) {
  const { original, fork, same, difference, until_ms } = comparison;
  const box = useRef<HTMLElement>(null);
  const faults = [...original.faults, ...fork.faults];
  const bands = [...bandsOf({ ...state, faults }), ...momentBand(state, difference?.at_ms)];
  // The panels fill the screen, so that the result would be below it.
  useEffect(() => box.current?.scrollIntoView({ block: 'start' }), [comparison]);
  return (
    <section class="panel comparison" aria-live="polite" ref={box}>
      <h2>Original and fork, until {humanDuration(until_ms)}</h2>
      <ul>
        {differencesOf(comparison).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <div class="charts">
        {Object.values(CHARTS).map((plan) => {
          const lines = curvesOf(comparison, plan);
          if (lines.length < 2 || difference === null) return null;
          const chart = { lines, text: textOf(plan), start: startOf(state), bands };
          return (
            <Chart
              key={plan.title}
              title={plan.title}
              isTime={'isTime' in plan}
              isCount={'isCount' in plan}
              {...chart}
            />
          );
        })}
      </div>
      <details>
        <summary>{difference === null ? 'The end of both' : 'Both ends and the first events that differ'}</summary>
        <End title={difference === null ? 'Both' : 'Original'} end={original} />
        {difference !== null && (
          <>
            <End title="Fork" end={fork} />
            <p>The first {counted(same, 'event')} are the same. The next ones:</p>
            <pre>
              {`original  ${printable(difference.original?.text ?? 'no more events')}\nfork      ${printable(difference.fork?.text ?? 'no more events')}`}
            </pre>
          </>
        )}
      </details>
    </section>
  );
}

interface EndProps {
  readonly title: string;
  readonly end: RunEnd;
}

const BADGES = { passed: 'good', failed: 'bad', undecided: 'late' } as const;

function End({ title, end: { passed, failure, digest, events, expectations } }: EndProps) {
  const isOpen = expectations.some(({ undecided }) => undecided);
  const word = !passed ? 'failed' : isOpen ? 'undecided' : 'passed';
  return (
    <>
      <p>
        <strong>{title}</strong> <span class={`badge ${BADGES[word]}`}>{word}</span>{' '}
        <span class="dim">
          {counted(events, 'event')}, digest {digest}
        </span>
        {failure !== null && ` ${printableLine(failure)}`}
      </p>
      <ul class="messages spaced">
        {expectations.map((each) => (
          <li key={each.line}>
            <StateBadge state={stateOf(each)} /> <span class="dim">{printableLine(each.sentence)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
