/** The latest scenario that was run from a page: its progress, and its verdict. */

import { printable, printableLine } from '../../../../src/kernel/printable.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import { counted } from '../../model/count.js';
import { atEnd } from '../../model/expectations.js';
import type { ScenarioClient, ScenarioRun } from '../../model/scenarios.js';
import { Action } from '../../parts/action.js';
import { Expectations } from '../../parts/expectations.js';
import { VerdictBadge } from '../../parts/verdict.js';

interface OutcomeProps {
  readonly run: ScenarioRun;
  readonly client: ScenarioClient;
}

export function Outcome({ run, client }: OutcomeProps) {
  if (run.state === 'none') return null;
  return (
    <section class="outcome">
      <h2>{run.state === 'starting' ? 'Run' : `Run of ${printableLine(run.name)}, seed ${run.seed}`}</h2>
      <p role="status">
        <Summary run={run} />{' '}
        {(run.state === 'running' || run.state === 'starting') && (
          <Action run={() => client.stop()} isDangerous>
            Stop
          </Action>
        )}
      </p>
      {run.state === 'failed' && <pre>{printable(run.message)}</pre>}
      {run.state === 'ended' && (
        <>
          <Expectations expectations={run.verdict.expectations.map(atEnd)} />
          <p>
            <a href="/scenarios/report" target="_blank" rel="noopener">
              Open the whole report
            </a>{' '}
            <span class="dim">with plots, and why the slowest downlinks took so long</span>
          </p>
        </>
      )}
    </section>
  );
}

function Summary({ run }: { readonly run: ScenarioRun }) {
  if (run.state === 'starting') return <>starting: the text is checked, which takes longer for a large fleet</>;
  if (run.state === 'running') return <>running: {printableLine(run.progress)}</>;
  if (run.state === 'stopped') return <span class="badge late">stopped</span>;
  if (run.state !== 'ended') return <span class="badge bad">no result</span>;
  const { failure, simulatedMs, wallMs, events, digest } = run.verdict;
  const took = `${humanDuration(Math.round(simulatedMs / 1000) * 1000)} in ${humanDuration(wallMs)}`;
  return (
    <>
      <VerdictBadge {...run.verdict} /> {took}, {counted(events, 'event')}, digest <code>{digest}</code>
      {failure !== null && <span class="failed"> {printableLine(failure)}</span>}
    </>
  );
}
