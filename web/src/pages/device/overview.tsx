/** The state of a device, charts of its values, its latest report, and, folded, its identity and session. */
import { useEffect, useMemo } from 'preact/hooks';
import type { Device } from '../../../../src/client/types.js';
import type { DeviceDoing } from '../../../../src/control/run-state.js';
import { current } from '../../api/session.js';
import { bandsOf, HOUR, startOf } from '../../model/charts.js';
import { now } from '../../model/now.js';
import { DeviceReports } from '../../model/reports.js';
import { runState } from '../../model/run.js';
import { seriesOf } from '../../model/series.js';
import { rhythmOf } from '../../model/story.js';
import { madeAt, quantitiesOf, rangeText, valueText } from '../../model/values.js';
import { Ago } from '../../parts/ago.js';
import { type Fact, Facts } from '../../parts/facts.js';
import { Failure } from '../../parts/failure.js';
import { later } from '../../parts/later.js';
import { useLoad } from '../../parts/load.js';
import { choiceInAddress } from '../../route.js';
import { Change } from './change.js';
import { State } from './state.js';
import type { TabProps } from './tab.js';
import { useDoing } from './use-doing.js';

const Charts = later(async () => (await import('./charts.js')).Charts);

const RANGES = { Hour: HOUR, Day: 24 * HOUR, Week: 7 * 24 * HOUR } as const;
type Range = keyof typeof RANGES;

export function Overview({ device }: TabProps) {
  const { value } = device.device;
  const [range, setRange] = choiceInAddress<Range>('range', ['Day', 'Hour', 'Week']);
  const reports = useMemo(() => new DeviceReports(current().client, device.id), [device.id]);
  const doing = useDoing(value?.serial_number);
  const { failure } = useLoad(() => reports.load(now.peek() - RANGES[range]), [reports, range]);
  const [from, until] = useSpan(range, value?.created_at);
  useEffect(() => reports.see(device.messages.value, from), [reports, device.messages.value, from]);
  const series = useMemo(() => seriesOf(reports.all.value, from), [reports.all.value, from]);
  const state = runState.value;
  const bands = useMemo(() => bandsAt(doing, state), [doing?.faults.join(), state?.faults]);
  const [report] = reports.all.value;
  if (!value) return null;
  return (
    <div class="page">
      {!device.isDeleted.value && <State device={value} doing={doing} series={series} report={report} />}
      <div class="bar">
        <h2>Values</h2>
        <fieldset class="ranges">
          <legend class="hidden">Time of the charts</legend>
          {keysOfRanges.map((each) => (
            <button key={each} type="button" aria-pressed={each === range} onClick={() => setRange(each)}>
              {each}
            </button>
          ))}
        </fieldset>
        <p class="dim">{reports.isCut.value && 'The oldest reports are left out, because there are too many.'}</p>
      </div>
      <Failure text={failure} />
      {series.length === 0 ? (
        <p class="dim">No report in this time.</p>
      ) : (
        <Charts series={series} range={[from, until]} start={startOf(state)} bands={bands} />
      )}
      <div class="folds">
        <details open>
          <summary>Latest report</summary>
          {report ? (
            <>
              <p class="dim">
                <Ago at={madeAt(report)} />
              </p>
              <Readings body={report.body} />
            </>
          ) : (
            <p class="dim">
              The device has not reported {rhythmOf(value).lastContact === null ? 'yet' : 'in this time'}.
            </p>
          )}
        </details>
        <div>
          <details>
            <summary>Identity</summary>
            <Facts facts={identityOf(value)} />
            <Change
              key={value.id}
              device={value}
              changed={(changed) => {
                device.device.value = changed;
              }}
            />
          </details>
          <details>
            <summary>Session</summary>
            {value.session === null ? (
              <p class="dim">The device has not begun a session yet.</p>
            ) : (
              <Facts facts={Object.entries(value.session).map(([name, fact]) => [factName(name), String(fact)])} />
            )}
          </details>
        </div>
      </div>
    </div>
  );
}

// The cast is safe because the object has no other keys.
const keysOfRanges = Object.keys(RANGES) as readonly Range[];

/**
 * First and last moment of the charts, in Unix ms. They move in steps, so that the charts are not drawn for every second, and
 * begin at the earliest with the run, or when the device was registered.
 */
function useSpan(range: Range, registered: string | undefined): readonly [number, number] {
  const length = RANGES[range];
  const step = length / 60;
  const until = Math.ceil(now.value / step) * step;
  return [Math.max(until - length, startOf(runState.value) ?? (Date.parse(registered ?? '') || 0)), until];
}

/** The faults that affect the device, as bands. */
function bandsAt(doing: DeviceDoing | undefined, state: typeof runState.value) {
  const ids = new Set(doing?.faults);
  return bandsOf(state && { ...state, faults: state.faults.filter(({ id }) => ids.has(id)) });
}

function Readings({ body }: { readonly body: unknown }) {
  const rows = quantitiesOf(body).map(({ name, unit, points }) => {
    const { value = 0, min = value, max = value } = points.at(-1) ?? {};
    const range = min < max ? rangeText(min, max, unit) : '';
    return { name, value: valueText(value, unit), range };
  });
  const hasRanges = rows.some(({ range }) => range !== '');
  return (
    <table class="readings">
      <thead>
        <tr>
          <th scope="col">Quantity</th>
          <th scope="col">Value</th>
          {hasRanges && <th scope="col">Samples</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, value, range }) => (
          <tr key={name}>
            <td>{name}</td>
            <td>{value}</td>
            {hasRanges && <td class="dim">{range}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `fw_version` as `FW version`. */
function factName(name: string): string {
  return name.replaceAll('_', ' ').replace(/\b(?:ble|fw|hw|iccid|imei|imsi)\b/g, (word) => word.toUpperCase());
}

function identityOf(device: Device): readonly Fact[] {
  const labels = Object.entries(device.label).map(([name, value]) => `${name}: ${value}`);
  return [
    ['serial number', device.serial_number],
    ['ID', device.id],
    ['external ID', device.external_id ?? '–'],
    ['comment', device.comment ?? '–'],
    ['tags', device.tags.map(({ name }) => name).join(', ') || '–'],
    ['labels', labels.join(', ') || '–'],
    ['registered', <Ago key="registered" at={Date.parse(device.created_at)} />],
    ['session since', <Ago key="session" at={(device.session_id ?? 0) * 1000} />],
    ['configuration', device.config_hash ?? 'not received'],
    ['decoder', device.decoder_hash ?? 'not received'],
    ['encoder', device.encoder_hash ?? 'none'],
  ];
}
