/** The figures over the whole time of the run, with its faults as bands. */
import type { RunState } from '../../../../src/control/run-state.js';
import { CHARTS } from '../../model/charts.js';
import { HistoryChart } from '../../parts/history-chart.js';

export function Charts({ state }: { readonly state: RunState }) {
  return (
    <>
      {Object.values(CHARTS).map((plan) => (
        <HistoryChart key={plan.title} title={plan.title} plan={plan} state={state} />
      ))}
    </>
  );
}
