/** The figures of the space, with their last hour. */
import type { ComponentChildren } from 'preact';
import { HEALTHS, type HealthCounts } from '../../../../src/contract/health.js';
import { CHARTS, faultCurve, HOUR, textOf } from '../../model/charts.js';
import { counted } from '../../model/count.js';
import { faultName, isLasting, type RunFault } from '../../model/faults.js';
import { countsOf } from '../../model/fleet.js';
import { type Curve, curveOf, history, latest } from '../../model/history.js';
import { now } from '../../model/now.js';
import { runState } from '../../model/run.js';
import { model } from '../../model/space.js';
import { Card } from '../../parts/card.js';
import { HEALTH_NAMES } from '../../parts/health-badge.js';
import { later } from '../../parts/later.js';
import { TravelSlider } from '../../parts/travel-slider.js';
import { choiceInAddress } from '../../route.js';

interface Figure {
  readonly title: string;
  readonly value: string;
  readonly more: ComponentChildren;
  readonly tone?: 'late' | 'bad' | undefined;
  readonly curve: Curve | undefined;
  /** The chart that opens; undefined if there is none. */
  readonly chart?: keyof typeof CHARTS;
}

const HistoryChart = later(async () => (await import('../../parts/history-chart.js')).HistoryChart);

// The cast is safe because the object has no other keys.
const keysOfCharts = Object.keys(CHARTS) as readonly (keyof typeof CHARTS)[];

export function Figures() {
  const [shown, show] = choiceInAddress('chart', ['', ...keysOfCharts]);
  const open = shown === '' ? undefined : shown;
  return (
    <>
      <ul class="figures">
        {figures().map((figure) => (
          <li key={figure.title}>
            <Card
              {...figure}
              span="the last hour"
              chart={
                figure.chart && {
                  isOpen: open === figure.chart,
                  toggle: () => show(open === figure.chart ? '' : (figure.chart ?? '')),
                }
              }
            />
          </li>
        ))}
      </ul>
      {open && (
        <HistoryChart
          key={open}
          title={`${CHARTS[open].title}, since the start. Drag (or +) to enlarge a part, double-click (or Escape) to see everything.`}
          plan={CHARTS[open]}
          state={runState.value}
        />
      )}
      {open && runState.value?.travels && <TravelSlider state={runState.value} />}
    </>
  );
}

function figures(): readonly Figure[] {
  const { fleet } = model();
  // Reading the signal makes the page render again after changes.
  void fleet.version.value;
  const { value: past } = history;
  const [moment, state] = [now.value, runState.value];
  const devices = fleet.rows.length;
  const { health, waiting, reached } = countsOf(fleet.rows, moment);
  // Until all devices are listed, the counts are those of a part of them.
  const { value: isListed } = fleet.isComplete;
  const { value: isCounted } = fleet.isWaitingKnown;
  const curve = (name: Parameters<typeof curveOf>[1]) => past && curveOf(past, name, HOUR);
  const reports = past && latest(past, 'reports_per_minute');
  const [p50, p95] = [past && latest(past, 'delivery_p50_seconds'), past && latest(past, 'delivery_p95_seconds')];
  const time = textOf(CHARTS.delivery);
  return [
    {
      ...{
        title: 'Devices on time',
        value: health.on_time.toLocaleString('en'),
        more: othersText(devices, health, isListed),
      },
      curve: curve('devices_on_time'),
      chart: 'devices',
    },
    {
      ...{ title: 'Reports a minute', value: reports === undefined ? '–' : textOf(CHARTS.reports)(reports) },
      ...{ more: 'from all devices', curve: curve('reports_per_minute') },
      chart: 'reports',
    },
    {
      ...{ title: 'Downlinks waiting', value: isCounted ? waiting.toLocaleString('en') : '–' },
      ...{ more: isCounted ? `for ${reached === 0 ? 'no device' : counted(reached, 'device')}` : 'not counted yet' },
      curve: curve('downlinks_waiting'),
      chart: 'waiting',
    },
    {
      ...{ title: 'Delivery, last hour', value: p50 === undefined ? '–' : time(p50 * 1000) },
      more: p95 === undefined ? 'no delivery' : `95 % within ${time(p95 * 1000)}`,
      curve: curve('delivery_p50_seconds'),
      chart: 'delivery',
    },
    ...(state ? [faultFigure(state.faults, state.now_ms)] : []),
  ];
}

/** `of 300 · 60 silent`: the good number is large, and the bad ones have the colours. */
function othersText(devices: number, health: Readonly<HealthCounts>, isListed: boolean) {
  const others = HEALTHS.filter((each) => each !== 'on_time' && health[each] > 0).reverse();
  return (
    <>
      of {devices.toLocaleString('en')}
      {!isListed && ' listed so far'}
      {others.map((each) => (
        <span key={each}>
          {' · '}
          <span class={TONES[each]}>{`${health[each].toLocaleString('en')} ${HEALTH_NAMES[each]}`}</span>
        </span>
      ))}
    </>
  );
}

const TONES = { on_time: 'good', late: 'late', silent: 'bad', never_seen: 'new' } as const;

/** Lasting faults are named, but do not count. */
function faultFigure(faults: readonly RunFault[], time: number): Figure {
  const passing = faults.filter((fault) => !isLasting(fault));
  const active = passing.filter(({ state }) => state === 'active');
  const [named, ...others] = active.length > 0 ? active : faults.filter(isLasting);
  const names = named && `${faultName(named)}${others.length > 0 ? ` and ${others.length} more` : ''}`;
  return {
    title: 'Faults in force',
    value: String(active.length),
    tone: active.length > 0 ? 'bad' : undefined,
    more: names === undefined ? 'none' : `${active.length > 0 ? '' : 'always: '}${names}`,
    curve: faultCurve(passing, time),
  };
}
