/** The plan of a scenario as a timeline: power-ups, steps, faults and loads with their times and devices. */
import { printableLine } from '../../../../src/kernel/printable.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import type { PlanTimeline } from '../../../../src/scenario/plan/timeline.js';
import { counted } from '../../model/count.js';

const START = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

type Span = PlanTimeline['spans'][number];

const PARTS = [
  ['boot', 'Devices start'],
  ['fault', 'Faults'],
  ['step', 'Steps'],
  ['load', 'Requests of users'],
] as const;

/** Maximum number of rows that are shown for each kind. */
const MOST = 100;

export function Plan({ plan }: { readonly plan: PlanTimeline }) {
  const { spans, durationMs } = plan;
  return (
    <section class="plan">
      <h2>Plan</h2>
      <p class="dim">
        {counted(plan.devices, 'device')}, {humanDuration(durationMs)} from {START.format(new Date(plan.start))}, seed{' '}
        {plan.seed}, plan <code>{plan.digest}</code>
      </p>
      {PARTS.map(([kind, title]) => {
        const rows = spans.filter((span) => span.kind === kind);
        if (rows.length === 0) return null;
        return (
          <div key={kind}>
            <h3>{title}</h3>
            <ol>
              {rows.slice(0, MOST).map((span, i) => (
                <Row key={i} span={span} duration={durationMs} />
              ))}
            </ol>
            {rows.length > MOST && <p class="dim">and {rows.length - MOST} more</p>}
          </div>
        );
      })}
      <Lines title="Before the devices" lines={plan.prepared} />
      <Lines title="Expectations" lines={plan.expectations} />
    </section>
  );
}

function Row({ span, duration }: { readonly span: Span; readonly duration: number }) {
  const { kind, fromMs, untilMs, what, whom, after } = span;
  const [begin, end] = [Math.min(fromMs, duration), Math.min(untilMs ?? duration, duration)];
  const left = (begin / duration) * 100;
  return (
    <li>
      <div class="what">
        <code>{printableLine(what)}</code> <span class="dim">{printableLine(whom)}</span>
        {after !== undefined && <span class="dim"> {printableLine(after)}</span>}
      </div>
      <div class="when dim">{periodOf(span)}</div>
      <div class="track" aria-hidden="true">
        <span
          class={`span ${isLasting(span) ? 'lasting' : kind}${after === undefined ? '' : ' later'}`}
          style={{ left: `${left}%`, width: `${((end - begin) / duration) * 100}%` }}
        />
      </div>
    </li>
  );
}

/** Whether it holds over the whole run: a condition of the network, not an event. */
function isLasting({ fromMs, untilMs }: Pick<Span, 'fromMs' | 'untilMs'>): boolean {
  return fromMs === 0 && untilMs === null;
}

/** `20m to 25m`, in whole seconds. */
function periodOf({ fromMs, untilMs, after }: Span): string {
  const orLater = after === undefined ? '' : ' or later';
  if (isLasting({ fromMs, untilMs })) return 'always';
  if (fromMs === untilMs) return `at ${moment(fromMs)}${orLater}`;
  return `${moment(fromMs)} to ${untilMs === null ? 'the end' : moment(untilMs)}${orLater}`;
}

function moment(ms: number): string {
  return humanDuration(Math.round(ms / 1000) * 1000);
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <code>{printableLine(line)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
