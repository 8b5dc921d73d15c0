/** A chart of figures of the space since the start of the service or the run. */
import { useMemo } from 'preact/hooks';
import type { RunState } from '../../../src/control/run-state.js';
import { bandsOf, type ChartPlan, linesOf, startOf, textOf } from '../model/charts.js';
import { history } from '../model/history.js';
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
  const { isTime = false } = plan;
  return <Chart title={title} lines={lines} text={textOf(plan)} isTime={isTime} start={startOf(state)} bands={bands} />;
}
