/** The figures over the whole time of the run, with its faults as bands. */
import type { RunState } from '../../../../src/control/run-state.js';
import { CHARTS } from '../../model/charts.js';
import { HistoryChart } from '../../parts/history-chart.js';

export function Charts({ state }: { readonly state: RunState }) {
  return (
    <section>
      <h2>The whole run</h2>
      <div class="charts">
        {Object.values(CHARTS).map((plan) => (
          <HistoryChart key={plan.title} title={plan.title} plan={plan} state={state} />
        ))}
      </div>
      <p class="dim">Drag over a chart to enlarge a part of it; a double click shows the whole run again.</p>
    </section>
  );
}
