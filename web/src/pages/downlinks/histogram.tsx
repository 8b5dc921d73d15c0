/**
 * The delivery times of downlinks, divided by the causes of their waits. At first, those that the cloud itself queues are left
 * out, because devices cause them and not users.
 */
import { useRef } from 'preact/hooks';
import type { Message } from '../../../../src/client/types.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import { OWN_TYPES } from '../../../../src/protocol/http/downlinks.js';
import { findRank } from '../../../../src/trace/histogram.js';
import { type Bar, type Cause, coloursOf, deliveryTime, histogramOf, UNKNOWN } from '../../model/causes.js';
import { MOST_READ } from '../../model/journey-reader.js';
import type { Journey } from '../../model/journeys.js';
import { runState } from '../../model/run.js';
import { textInAddress } from '../../route.js';

/** Options of the type selection in addition to the types: all but those of the cloud itself, and all. */
const MOST_TYPES = '';
const ALL_TYPES = '*';
const OPTIONS = [MOST_TYPES, ALL_TYPES];

interface HistogramProps {
  /** All downlinks. */
  readonly messages: readonly Message[];
  /** The delivered ones of the chosen type ({@link deliveredOf}), newest first. */
  readonly delivered: readonly Message[];
  readonly journeys: ReadonlyMap<string, Journey>;
  readonly type: string;
  readonly choose: (type: string) => void;
}

export function Histogram({ messages, delivered, journeys, type, choose }: HistogramProps) {
  const [only, setOnly] = textInAddress('cause');
  const types = [...new Set([...messages.map((message) => message.type), type])]
    .filter((each) => !OPTIONS.includes(each))
    .sort();
  const isRun = runState.value !== undefined;
  const histogram = histogramOf(delivered, journeys, isRun ? undefined : MOST_READ);
  const colours = useRef<ReadonlyMap<string, number>>(new Map());
  colours.current = coloursOf(histogram.causes, colours.current);
  const colourOf = (cause: string) => `cause-${colours.current.get(cause) ?? 'rest'}`;
  return (
    <section>
      <h2>How long deliveries took</h2>
      <p>
        <select aria-label="Type" value={type} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value={MOST_TYPES}>all but sessions and times</option>
          <option value={ALL_TYPES}>all types</option>
          {types.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>{' '}
        <span class="dim">{summaryOf(delivered)}</span>
      </p>
      {delivered.length > 0 && (
        <>
          <Legend causes={histogram.causes} colourOf={colourOf} only={only} choose={setOnly} />
          <Bars {...histogram} colourOf={colourOf} only={only} />
          <p class="dim">{sourceOf(isRun, delivered.length)}</p>
        </>
      )}
    </section>
  );
}

function summaryOf(delivered: readonly Message[]): string {
  if (delivered.length === 0) return 'nothing delivered yet';
  const times = delivered.flatMap((message) => deliveryTime(message) ?? []).sort((a, b) => a - b);
  // By the same rule as in reports.
  const share = (percent: number) =>
    humanDuration(times[findRank(percent, times.length) - 1] ?? 0).replaceAll(' ', '\u00a0');
  return `${times.length} delivered in all: half within ${share(50)}, 95\u00a0% within ${share(95)}`;
}

/** A sentence about the source of the causes. */
function sourceOf(isRun: boolean, delivered: number): string {
  if (isRun) return 'The time of each downlink is divided among its causes, as the run explains them.';
  const known =
    'The cloud knows when a device made contact, but not why it was silent. In a simulated run, this page also names that cause.';
  return delivered > MOST_READ ? `${known} Only the latest ${MOST_READ} downlinks are divided by cause.` : known;
}

interface LegendProps {
  readonly causes: readonly Cause[];
  /** CSS class with the colour of a cause. */
  readonly colourOf: (cause: string) => string;
  /** The chosen cause; empty for all. */
  readonly only: string;
  readonly choose: (cause: string) => void;
}

/** The causes with their colours, as switches: when one is chosen, the bars show only its parts. */
function Legend({ causes, colourOf, only, choose }: LegendProps) {
  return (
    <ul class="causes" aria-label="Causes">
      {causes.map(({ what, share }) => (
        <li key={what}>
          <button type="button" aria-pressed={what === only} onClick={() => choose(what === only ? '' : what)}>
            <span class={`swatch ${colourOf(what)}`} aria-hidden="true" /> {what}{' '}
            <span class="dim">{shareText(share)} of the time</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface BarsProps {
  readonly causes: readonly Cause[];
  readonly bars: readonly Bar[];
  readonly colourOf: (cause: string) => string;
  readonly only: string;
}

function Bars({ causes, bars, colourOf, only }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const chosen = causes.findIndex(({ what }) => what === only);
  return (
    <table class="bars">
      <thead class="hidden">
        <tr>
          <th scope="col">Within</th>
          <th scope="col">Downlinks, by cause</th>
        </tr>
      </thead>
      <tbody>
        {bars.map(({ upTo, count, parts }) => (
          <tr key={upTo}>
            <th scope="row">{upTo}</th>
            <td>
              <span class="bar-parts" aria-hidden="true">
                {parts.map((part, i) =>
                  part > 0 && (chosen < 0 || chosen === i) ? (
                    <span
                      key={causes[i]?.what}
                      class={`bar-line ${colourOf(causes[i]?.what ?? UNKNOWN)}`}
                      title={`${causes[i]?.what}: ${countText(part)}`}
                      style={{ width: `${(part / most) * 100}%` }}
                    />
                  ) : null,
                )}
              </span>{' '}
              <span class={count === 0 ? 'dim' : ''}>{chosen < 0 ? count : countText(parts[chosen] ?? 0)}</span>
              {count > 0 && <span class="hidden">: {partsText(causes, parts)}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function partsText(causes: readonly Cause[], parts: readonly number[]): string {
  return parts.flatMap((part, i) => (part > 0 ? [`${causes[i]?.what} ${countText(part)}`] : [])).join(', ');
}

/** A sum of parts of downlinks: `3`, `0.4`. */
function countText(count: number): string {
  return count > 0 && count < 0.05 ? 'less than 0.1' : String(Number(count.toFixed(1)));
}

function shareText(share: number): string {
  return share > 0 && share < 0.005 ? 'less than 1 %' : `${Math.round(share * 100)} %`;
}

/** The delivered downlinks of the chosen type. */
export function deliveredOf(messages: readonly Message[], choice: string): readonly Message[] {
  return messages.filter((each) => isChosen(each, choice) && deliveryTime(each) !== undefined);
}

function isChosen({ type }: Message, choice: string): boolean {
  if (choice === ALL_TYPES) return true;
  return choice === MOST_TYPES ? !OWN_TYPES.has(type) : type === choice;
}
