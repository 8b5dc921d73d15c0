/** The state of a device at a glance: whether it is on time, what it does, its next contact, signal, battery and uptime. */
import type { Device } from '../../../../src/client/types.js';
import { findHealth } from '../../../../src/contract/health.js';
import type { DeviceDoing } from '../../../../src/control/run-state.js';
import { faultName, isLasting } from '../../model/faults.js';
import { lengthText } from '../../model/length.js';
import { now } from '../../model/now.js';
import { runState } from '../../model/run.js';
import type { Series } from '../../model/series.js';
import { rhythmOf } from '../../model/story.js';
import { madeAt, rangeText, upFor, uptimeOf, valueText } from '../../model/values.js';
import { Ago } from '../../parts/ago.js';
import { Card } from '../../parts/card.js';
import { HEALTH_NAMES } from '../../parts/health-badge.js';
import { nextContact } from './next-contact.js';

interface StateProps {
  readonly device: Device;
  /** Undefined without a run. */
  readonly doing: DeviceDoing | undefined;
  readonly series: readonly Series[];
  /** Body of the latest report; undefined without a report. */
  readonly report: { readonly created_at: string; readonly body: unknown } | undefined;
}

const TONES = { on_time: 'good', late: 'late', silent: 'bad', never_seen: undefined } as const;

export function State({ device, doing, series, report }: StateProps) {
  const rhythm = rhythmOf(device);
  const health = findHealth(rhythm, now.value);
  const name = HEALTH_NAMES[health];
  const next = nextContact({ ...rhythm, doing, now: now.value });
  const known = (begin: string) => series.find((each) => each.isOwn && each.name.startsWith(begin));
  const [signal, battery] = [known('signal strength'), known('battery voltage at rest')];
  const uptime = uptimeOf(report?.body);
  return (
    <>
      <Faults doing={doing} />
      <ul class="figures of-device">
        <li>
          <Card
            title="State"
            value={`${name[0]?.toUpperCase()}${name.slice(1)}`}
            tone={TONES[health]}
            more={
              <>
                {rhythm.lastContact === null ? 'no contact yet' : 'last contact '}
                {rhythm.lastContact !== null && <Ago at={rhythm.lastContact} />}
                {doing && (
                  <>
                    , now <span class={doing.kind === 'trouble' ? 'late' : ''}>{doing.text}</span>
                  </>
                )}
              </>
            }
          />
        </li>
        <li>
          <Card title="Next contact" {...next} />
        </li>
        <li>
          <Measured title="Signal (RSRP)" series={signal} />
        </li>
        <li>
          <Measured title="Battery at rest" series={battery} />
        </li>
        <li>
          <Card
            title="Up for"
            value={uptime === undefined || !report ? '–' : lengthText(upFor(uptime, madeAt(report), now.value))}
            more={
              device.session_id === null ? (
                'no session yet'
              ) : (
                <>
                  session since <Ago at={device.session_id * 1000} />
                </>
              )
            }
          />
        </li>
      </ul>
    </>
  );
}

/** A value with its curve. */
function Measured({ title, series }: { readonly title: string; readonly series: Series | undefined }) {
  const values = series?.curve.mean.filter((value) => value !== null) ?? [];
  if (series === undefined) return <Card title={title} value="–" more="not reported yet" />;
  const last = values.at(-1);
  if (last === undefined)
    return <Card title={title} value={valueText(series.last.value, series.unit)} more={<Ago at={series.last.at} />} />;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isSteady = valueText(least, series.unit) === valueText(most, series.unit);
  const more = isSteady ? 'steady' : rangeText(least, most, series.unit);
  if (values.length === 1) return <Card title={title} value={valueText(last, series.unit)} more="one report" />;
  return (
    <Card
      title={title}
      value={valueText(last, series.unit)}
      more={more}
      curve={series.curve}
      fits
      span="in its charts"
    />
  );
}

/** The faults in force that affect the device, except the conditions of the whole run. */
function Faults({ doing }: Pick<StateProps, 'doing'>) {
  const ids = new Set(doing?.faults);
  const faults = runState.value?.faults.filter(
    (fault) => ids.has(fault.id) && fault.state === 'active' && !isLasting(fault),
  );
  if (!faults || faults.length === 0) return null;
  return (
    <p class="in-force" role="status">
      <strong class="bad">{faults.map(faultName).join(', ')}</strong> {faults.length === 1 ? 'is' : 'are'} in force for
      this device
    </p>
  );
}
