/**
 * Exports traces and metrics to a collector of OpenTelemetry, regularly and at the end. A collector that does not receive them
 * costs telemetry, never the run or the service: the loss is counted, and reported once.
 *
 * Only the encoding is that of the OpenTelemetry SDK. Its exporters cannot be ended early, and its span processors drop what a
 * run in virtual time makes in a second.
 */
import type { Attributes } from '@opentelemetry/api';
import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { MetricData } from '@opentelemetry/sdk-metrics';
import type { Alarm, Clock } from '../kernel/clock.js';
import { messageOf } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';
import { humanCount } from '../kernel/quantity.js';
import { type Millis, seconds } from '../kernel/time.js';
import type { Period } from './measures.js';
import { type Refused, readResponse } from './response.js';
import { Sender } from './sender.js';
import { type Destination, SIGNALS, type Signal, type TelemetrySettings } from './settings.js';
import { makeSpans, SCOPE, type TracedDownlink } from './spans.js';

/** Maximum number of downlinks whose traces are in a batch: some 500 spans. */
const IN_BATCH = 64;
/** Time for a batch at the end, and for all batches then. */
const LAST_PATIENCE: Millis = seconds(5);
const LAST_PATIENCE_OF_ALL: Millis = seconds(30);
/** Both times after a Ctrl-C. */
const PATIENCE_INTERRUPTED: Millis = seconds(1);

/** What is exported. */
export interface TelemetrySource {
  readMetrics(period: Period): Promise<readonly MetricData[]> | readonly MetricData[];
  /** Takes up to `most` downlinks whose traces are complete. */
  takeTraces(most: number): Promise<readonly TracedDownlink[]> | readonly TracedDownlink[];
  /** Number of downlinks that wait to be taken. @param last whether the others are complete now */
  countTraces(last: boolean): number;
}

interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly version: string;
  /** Attributes of the resource; those of the user go before them. */
  readonly attributes: Attributes;
  readonly source: TelemetrySource;
  /** Real time. */
  readonly clock: Clock;
  /** Called with a sentence about lost telemetry: at the first loss if `reportsAtOnce`, and otherwise at the end. */
  readonly complain: (sentence: string) => void;
  readonly reportsAtOnce?: boolean;
}

interface Limits {
  /** Aborts the export. */
  readonly cancelled: AbortSignal;
  /** Time for a batch at the end; undefined for a regular export. */
  readonly patience: Millis | undefined;
}

/** `reason`: why the first batch was lost. */
interface Batches {
  all: number;
  lost: number;
  reason?: string;
}

export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #sender: Sender;
  readonly #resource;
  readonly #since: number;
  #next: Alarm | undefined;
  #limit: Alarm | undefined;
  #round: Promise<void> = Promise.resolve();
  /** Aborts a regular export that is still going on at the end. */
  readonly #regular = new AbortController();
  /** Aborts everything. */
  readonly #all = new AbortController();
  #ends = false;
  #interrupted = false;
  readonly #batches: Readonly<Record<Signal, Batches>> = { traces: { all: 0, lost: 0 }, metrics: { all: 0, lost: 0 } };
  #refused: Refused = { items: 0, reason: '' };
  /** The last report, which is not repeated. */
  #reported: string | undefined;

  constructor(options: TelemetryOptions) {
    const { clock, version, attributes, settings } = options;
    this.#options = options;
    this.#sender = new Sender(clock);
    this.#since = clock.wall;
    this.#resource = resourceFromAttributes({
      'service.name': 'ghostfleet',
      'service.version': version,
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.language': 'nodejs',
      ...attributes,
      ...settings.attributes,
    });
  }

  /** Starts the regular exports. */
  begin(): void {
    const { clock, settings } = this.#options;
    this.#next = clock.after(settings.every, 'the next export of telemetry', () => {
      this.#round = this.#export(() => this.#ends, this.#regular.signal).then(() => {
        if (!this.#ends) this.begin();
      });
    });
  }

  /** The user pressed Ctrl-C: the last export may take only a second. */
  interrupt(): void {
    this.#interrupted = true;
    if (this.#ends) this.#endIn(PATIENCE_INTERRUPTED);
  }

  /** Exports what is left, and reports losses. Resolves when the collector has it or the time for it is over; never rejects. */
  async end(): Promise<void> {
    const { clock, source, settings } = this.#options;
    this.#next?.cancel();
    this.#ends = true;
    const regular = clock.after(LAST_PATIENCE, 'the end of an export of telemetry', () => this.#regular.abort());
    this.#endIn(this.#interrupted ? PATIENCE_INTERRUPTED : LAST_PATIENCE_OF_ALL);
    await this.#round;
    regular.cancel();
    source.countTraces(true);
    const areMetricsTried = await this.#export(() => this.#all.signal.aborted, this.#all.signal, LAST_PATIENCE);
    this.#limit?.cancel();
    const { traces, metrics } = settings.destinations;
    if (traces) this.#countUnsent('traces', Math.ceil(source.countTraces(true) / IN_BATCH));
    if (metrics && !areMetricsTried && (await this.#hasMetrics())) this.#countUnsent('metrics', 1);
    this.#report();
    await this.#sender.close();
  }

  /** Ends without a further export. */
  async close(): Promise<void> {
    this.#next?.cancel();
    this.#ends = true;
    this.#abortAll();
    await this.#sender.close();
  }

  #endIn(patience: Millis): void {
    this.#limit?.cancel();
    this.#limit = this.#options.clock.after(patience, 'the last export of telemetry', () => this.#abortAll());
  }

  #abortAll(): void {
    this.#regular.abort();
    this.#all.abort();
  }

  async #hasMetrics(): Promise<boolean> {
    try {
      return (await this.#readMetrics()).length > 0;
    } catch {
      return true;
    }
  }

  #readMetrics() {
    const { source, clock } = this.#options;
    return source.readMetrics({ since: this.#since, now: clock.wall });
  }

  #countUnsent(signal: Signal, count: number): void {
    this.#batches[signal].all += count;
    this.#batches[signal].lost += count;
  }

  /** Sends traces and metrics independently of each other. Resolves to whether the metrics had their turn. */
  async #export(isOver: () => boolean, cancelled: AbortSignal, patience?: Millis): Promise<boolean> {
    const limits = { cancelled, patience };
    const [, areMetricsTried] = await Promise.all([
      this.#exportTraces(isOver, limits),
      this.#exportMetrics(isOver, limits),
    ]);
    return areMetricsTried;
  }

  /** Sends all complete traces, until the collector takes none for the moment. */
  async #exportTraces(isOver: () => boolean, limits: Limits): Promise<void> {
    const { source, settings } = this.#options;
    const { traces } = settings.destinations;
    try {
      while (traces && source.countTraces(false) > 0 && !isOver()) {
        const spans = (await source.takeTraces(IN_BATCH)).flatMap((each) =>
          makeSpans(each, this.#resource, settings.sampler),
        );
        const { serializeRequest } = traces.encoding === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer;
        if (spans.length === 0) continue;
        if (!(await this.#send('traces', traces, serializeRequest(spans), limits))) return;
      }
    } catch (error) {
      this.#failSource('traces', error);
    }
  }

  /** Resolves to whether it was tried. */
  async #exportMetrics(isOver: () => boolean, limits: Limits): Promise<boolean> {
    const { metrics } = this.#options.settings.destinations;
    if (!metrics || isOver()) return false;
    try {
      const data = await this.#readMetrics();
      if (data.length === 0) return true;
      const { serializeRequest } = metrics.encoding === 'json' ? JsonMetricsSerializer : ProtobufMetricsSerializer;
      const batch = serializeRequest({
        resource: this.#resource,
        scopeMetrics: [{ scope: SCOPE, metrics: [...data] }],
      });
      await this.#send('metrics', metrics, batch, limits);
    } catch (error) {
      this.#failSource('metrics', error);
    }
    return true;
  }

  /** The source has failed, for example because the database does not answer. */
  #failSource(signal: Signal, error: unknown): void {
    this.#batches[signal].all++;
    this.#lose(signal, messageOf(error));
  }

  /** Whether the collector may take the next batch: it has received this one, or refused only this one. */
  async #send(
    signal: Signal,
    to: Destination,
    batch: Uint8Array | undefined,
    { cancelled, patience }: Limits,
  ): Promise<boolean> {
    this.#batches[signal].all++;
    const outcome = await this.#sender.send(to, batch ?? new Uint8Array(), {
      patience: Math.min(to.timeout, patience ?? to.timeout),
      last: patience !== undefined,
      cancelled,
    });
    if ('lost' in outcome) {
      this.#lose(signal, outcome.lost, to);
      return outcome.refused;
    }
    const answer = readResponse(outcome.received, to.encoding);
    if (typeof answer === 'string') this.#lose(signal, answer, to);
    else if (answer.items > 0) this.#refuse(answer);
    return true;
  }

  #refuse({ items, reason }: Refused): void {
    const isFirst = this.#refused.items === 0;
    this.#refused = { items: this.#refused.items + items, reason: this.#refused.reason || reason };
    if (isFirst) this.#reportAtOnce();
  }

  #lose(signal: Signal, reason: string, to?: Destination): void {
    const { traces, metrics } = this.#batches;
    const isFirst = traces.lost + metrics.lost === 0;
    this.#batches[signal].lost++;
    const port = to && new URL(to.url).port === '4317' ? '; OTLP over HTTP usually has port 4318, not 4317' : '';
    this.#batches[signal].reason ??= `${reason}${port}`;
    if (isFirst) this.#reportAtOnce();
  }

  /** At the end, one report is enough. */
  #reportAtOnce(): void {
    if (this.#options.reportsAtOnce && !this.#ends) this.#report();
  }

  #report(): void {
    const { settings, complain } = this.#options;
    const where = (of: readonly Signal[]) => {
      const places = of.flatMap((signal) => settings.destinations[signal] ?? []).map(({ url }) => new URL(url).origin);
      return [...new Set(places)].join(' and ');
    };
    const { items, reason } = this.#refused;
    const words = reason === '' ? '' : `: "${printableLine(reason)}"`;
    const lost = SIGNALS.filter((signal) => this.#batches[signal].lost > 0);
    // Batches that were not sent are lost for the reason of those before them, of either signal.
    const before = lost.flatMap((signal) => this.#batches[signal].reason ?? [])[0] ?? 'no time was left';
    const why = (signal: Signal) => this.#batches[signal].reason ?? before;
    const losses = [...new Set(lost.map(why))].map((cause) => {
      const of = lost.filter((signal) => why(signal) === cause);
      const counts = of.map((signal) => {
        const batches = this.#batches[signal];
        return `${humanCount(batches.lost)} of ${humanCount(batches.all)} batches of ${signal}`;
      });
      return `telemetry for ${where(of)} was lost (${counts.join(', ')}): ${cause}`;
    });
    if (items > 0) losses.push(`${where(SIGNALS)} refused ${humanCount(items)} of the spans and data points${words}`);
    const report = losses.join('; ');
    if (report === '' || report === this.#reported) return;
    this.#reported = report;
    complain(report);
  }
}
