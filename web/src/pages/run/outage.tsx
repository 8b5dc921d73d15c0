/** The page for a service that does not answer. If a fault of its run is the reason, the user can lift the fault here. */
import { useEffect, useMemo } from 'preact/hooks';
import { outage } from '../../api/session.js';
import { Run, runState } from '../../model/run.js';
import { Failure } from '../../parts/failure.js';
import { ActiveFaults } from './faults.js';

export function Outage() {
  const run = useMemo(() => new Run(), []);
  useEffect(() => {
    void run.follow();
    return () => run.close();
  }, [run]);
  return (
    <main class="sign-in">
      <h1>ghostfleet</h1>
      <Failure text={outage.value} />
      <p>The console opens when the service answers again.</p>
      {runState.value && <ActiveFaults faults={runState.value.faults} run={run} />}
    </main>
  );
}
