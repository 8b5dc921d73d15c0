/** The figures over the whole time of the run, with its faults as bands. */
import type { RunState } from '../../../../src/control/run-state.js';
import { bandsOf, CHARTS, linesOf, startOf, textOf } from '../../model/charts.js';
import { history } from '../../model/history.js';
import { Chart, TIME_STEPS } from '../../parts/chart.js';

export function Charts({ state }: { readonly state: RunState }) {
  const { value: past } = history;
  return (
    <section>
      <h2>The whole run</h2>
      <div class="charts">
        {Object.entries(CHARTS).map(([key, plan]) => (
          <Chart
            key={key}
            title={plan.title}
            lines={linesOf(plan, past)}
            bands={bandsOf(state)}
            text={textOf(plan)}
            start={startOf(state)}
            steps={'isTime' in plan ? TIME_STEPS : undefined}
          />
        ))}
      </div>
      <p class="dim">Drag over a chart to enlarge a part of it; a double click shows the whole run again.</p>
    </section>
  );
}
