/**
 * The trace of a downlink. Its root lasts from the request to the end of the downlink; below it, each station has a span, which
 * lasts until the next station: `queued` while the device is away, `waiting` from its first contact to the offer, `offered`
 * while the downlink is transferred, `received`, `delivered` and `executed` until what follows.
 *
 * All ids follow from the id of the downlink. So the traces of a run in virtual time are the same whenever it is repeated, and
 * a run and the cloud that it tests write to the same trace.
 */
import { createHash } from 'node:crypto';
import {
  type Attributes,
  type HrTime,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { UnixMillis } from '../kernel/time.js';
import { readTraceParent } from '../kernel/trace-context.js';
import type { Sampler } from './settings.js';

export const SCOPE = { name: 'ghostfleet' } as const;

export interface TracedDownlink {
  readonly id: string;
  readonly type: string;
  /** The span of the caller that queued it, which is then the parent. Default: the downlink has a trace of its own. */
  readonly traceparent?: string | undefined;
  /** Who has observed the downlink: a run and its cloud have different spans of the same trace. */
  readonly observer: 'run' | 'cloud';
  /** In the order of time; the first is `queued`. */
  readonly stations: readonly { readonly name: string; readonly at: UnixMillis }[];
  /** When the downlink ended, or the observation of one that has not ended. */
  readonly end: UnixMillis;
  /** Why the downlink failed; undefined if it did not. */
  readonly failure?: string | undefined;
  readonly attributes: Attributes;
}

/** @returns no spans if the sampler, or by default a caller that does not record its trace, leaves the trace out */
export function makeSpans(downlink: TracedDownlink, resource: Resource, sampler: Sampler): readonly ReadableSpan[] {
  const { id, type, observer, stations, end, failure, attributes } = downlink;
  const parent = readTraceParent(downlink.traceparent);
  const traceId = parent?.traceId ?? createHash('sha256').update(id).digest('hex').slice(0, 32);
  if (!isSampled(traceId, sampler.asksCaller ? parent?.sampled : undefined, sampler.ratio)) return [];
  const ids = createHash('sha512').update(`${observer} ${id}`).digest('hex');
  const spanId = (index: number) => ids.slice(16 * index, 16 * index + 16);
  const queuedAt = stations[0]?.at ?? end;
  const root: SpanContext = { traceId, spanId: spanId(0), traceFlags: 1 };
  const above = parent && { traceId, spanId: parent.spanId, traceFlags: 1, isRemote: true };
  const status = failure === undefined ? UNSET : { code: SpanStatusCode.ERROR, message: failure };
  const spans: ReadableSpan[] = [
    new DownlinkSpan(resource, root, above, queuedAt, end, {
      name: `downlink ${type}`,
      kind: SpanKind.CONSUMER,
      attributes: { ...attributes, 'ghostfleet.downlink.id': id },
      status,
    }),
  ];
  for (const [index, { name, at }] of stations.entries()) {
    const own: SpanContext = { traceId, spanId: spanId(index + 1), traceFlags: 1 };
    const until = Math.max(at, stations[index + 1]?.at ?? end);
    spans.push(
      new DownlinkSpan(resource, own, root, at, until, {
        name,
        kind: SpanKind.INTERNAL,
        attributes: NONE,
        status: UNSET,
      }),
    );
  }
  return spans;
}

const UNSET: SpanStatus = { code: SpanStatusCode.UNSET };
const NONE: Attributes = {};

/** A class, because a run makes hundreds of thousands of spans: literals that are spread into each other take six times as long. */
class DownlinkSpan implements ReadableSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly status: SpanStatus;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly #context: SpanContext;
  readonly parentSpanContext?: SpanContext;

  constructor(
    readonly resource: Resource,
    context: SpanContext,
    parent: SpanContext | undefined,
    from: UnixMillis,
    until: UnixMillis,
    { name, kind, attributes, status }: Pick<ReadableSpan, 'name' | 'kind' | 'attributes' | 'status'>,
  ) {
    this.#context = context;
    if (parent !== undefined) this.parentSpanContext = parent;
    this.startTime = hrTime(from);
    this.endTime = hrTime(until);
    this.name = name;
    this.kind = kind;
    this.attributes = attributes;
    this.status = status;
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  get duration(): HrTime {
    return hrTime(1000 * (this.endTime[0] - this.startTime[0]) + (this.endTime[1] - this.startTime[1]) / 1_000_000);
  }

  get ended(): true {
    return true;
  }

  get links(): [] {
    return [];
  }

  get events(): [] {
    return [];
  }

  get instrumentationScope(): typeof SCOPE {
    return SCOPE;
  }

  get droppedAttributesCount(): number {
    return 0;
  }

  get droppedEventsCount(): number {
    return 0;
  }

  get droppedLinksCount(): number {
    return 0;
  }
}

/** @param decided the decision of the caller */
function isSampled(traceId: string, decided: boolean | undefined, ratio: number): boolean {
  return decided ?? Number.parseInt(traceId.slice(-8), 16) < ratio * 0x1_0000_0000;
}

/** @param time milliseconds */
export function hrTime(time: number): HrTime {
  const whole = Math.floor(time / 1000);
  return [whole, Math.round((time - 1000 * whole) * 1_000_000)];
}
