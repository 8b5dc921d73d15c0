/** A chart of figures of the space since the start of the service or the run. */
import { useMemo } from 'preact/hooks';
import type { RunState } from '../../../src/control/run-state.js';
import { bandsOf, type ChartPlan, linesOf, startOf, textOf } from '../model/charts.js';
import { countsOf } from '../model/fleet.js';
import { type FigureName, history } from '../model/history.js';
import { now } from '../model/now.js';
import { model } from '../model/space.js';
import { chosenMoment, momentBand } from '../model/travel.js';
import { Chart } from './chart.js';

interface HistoryChartProps {
  readonly title: string;
  readonly plan: ChartPlan;
  /** State of the run, whose faults are the bands; undefined without a run: the axis has times of the day. */
  readonly state: RunState | undefined;
}

export function HistoryChart({ title, plan, state }: HistoryChartProps) {
  const { value: past } = history;
  const lines = useMemo(() => linesOf(plan, past), [plan, past]);
  const { value: moment } = chosenMoment;
  const bands = useMemo(() => [...bandsOf(state), ...momentBand(state, moment)], [state?.faults, moment]);
  if (past?.starts.length === 0) return <p class="dim">{plan.title}: there are no values yet.</p>;
  const { isTime = false, isCount = false } = plan;
  const present = plan.lines.map(({ figure }) => presentOf(figure));
  const chart = { title, lines, present, text: textOf(plan), isTime, isCount, start: startOf(state), bands };
  return <Chart {...chart} />;
}

/** What the console counts itself. The last bucket of the history has the mean of its time so far. */
function presentOf(figure: FigureName): number | undefined {
  const { fleet } = model();
  if (figure !== 'devices_on_time' && figure !== 'downlinks_waiting') return undefined;
  // Reading the signal makes the chart render again after changes.
  void fleet.version.value;
  const { health, waiting } = countsOf(fleet.rows, now.value);
  if (figure === 'devices_on_time') return fleet.isComplete.value ? health.on_time : undefined;
  return fleet.isWaitingKnown.value ? waiting : undefined;
}
