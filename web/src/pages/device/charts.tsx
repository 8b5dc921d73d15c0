/** Charts of every value of a device, for an hour, a day or a week, with the faults of the device as bands. Contains uPlot. */
import { useMemo } from 'preact/hooks';
import { type Band, inMs } from '../../model/charts.js';
import { lengthText } from '../../model/length.js';
import type { Series } from '../../model/series.js';
import { valueText } from '../../model/values.js';
import { Ago } from '../../parts/ago.js';
import { Chart } from '../../parts/chart.js';

/** What a user looks for first about a device. */
const OWN_FIRST = ['signal', 'battery', 'uptime'];

interface ChartsProps {
  readonly series: readonly Series[];
  readonly range: readonly [from: number, until: number];
  /** Start of the run in Unix ms; undefined without a run. */
  readonly start: number | undefined;
  readonly bands: readonly Band[];
}

export function Charts({ series, ...around }: ChartsProps) {
  const rank = ({ name }: Series) => OWN_FIRST.findIndex((begin) => name.startsWith(begin)) + 1 || OWN_FIRST.length + 1;
  const own = series.filter(({ isOwn }) => isOwn).sort((a, b) => rank(a) - rank(b));
  return (
    <>
      <Grid series={series.filter(({ isOwn }) => !isOwn)} {...around} />
      {own.length > 0 && (
        <details class="own">
          <summary>The device itself: signal, battery, uptime and position</summary>
          <Grid series={own} {...around} />
        </details>
      )}
    </>
  );
}

function Grid({ series, ...around }: ChartsProps) {
  return (
    <div class="charts small">
      {series.map((each) => (
        <OfQuantity key={each.name} series={each} {...around} />
      ))}
    </div>
  );
}

function OfQuantity({
  series: { name, unit, curve, last },
  ...around
}: Omit<ChartsProps, 'series'> & { readonly series: Series }) {
  const isTime = unit === 's';
  const lines = useMemo(() => [{ name: '', curve: isTime ? inMs(curve) : curve }], [curve, isTime]);
  const text = isTime ? lengthText : (value: number) => valueText(value, unit);
  if (curve.times.length === 0)
    return (
      <figure class="chart">
        <figcaption>
          <div class="dim title">{name}</div>
          <p class="dim">
            No values in this time; the last one is {text(isTime ? last.value * 1000 : last.value)},{' '}
            <Ago at={last.at} />
          </p>
        </figcaption>
      </figure>
    );
  return <Chart title={name} lines={lines} text={text} isTime={isTime} fits {...around} />;
}
