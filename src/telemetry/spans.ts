/**
 * The trace of a downlink. Its root lasts from the request to the end of the downlink; below it, each station has a span, which
 * lasts until the next station: `queued` while the device is away, `waiting` from its first contact to the offer, `offered`
 * while the downlink is transferred, `received`, `delivered` and `executed` until what follows.
 *
 * All ids follow from the id of the downlink. So the traces of a run in virtual time are the same whenever it is repeated, and
 * a run and the cloud that it tests write to the same trace.
 */
import { createHash } from 'node:crypto';
import { type Attributes, type HrTime, SpanKind, SpanStatusCode } from '@opentelemetry/api';
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
  const make = (
    index: number,
    from: UnixMillis,
    until: UnixMillis,
    own: Pick<ReadableSpan, 'name' | 'attributes'>,
  ) => ({
    ...own,
    kind: index === 0 ? SpanKind.CONSUMER : SpanKind.INTERNAL,
    spanContext: () => ({ traceId, spanId: spanId(index), traceFlags: 1 }),
    startTime: hrTime(from),
    endTime: hrTime(until),
    duration: hrTime(until - from),
    status: { code: SpanStatusCode.UNSET },
    ended: true,
    links: [],
    events: [],
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  });
  const queuedAt = stations[0]?.at ?? end;
  const above = parent && { traceId, spanId: parent.spanId, traceFlags: 1, isRemote: true };
  const root = {
    ...make(0, queuedAt, end, {
      name: `downlink ${type}`,
      attributes: { ...attributes, 'ghostfleet.downlink.id': id },
    }),
    ...(above && { parentSpanContext: above }),
    ...(failure !== undefined && { status: { code: SpanStatusCode.ERROR, message: failure } }),
  };
  return [
    root,
    ...stations.map(({ name, at }, index) => ({
      ...make(index + 1, at, Math.max(at, stations[index + 1]?.at ?? end), { name, attributes: {} }),
      parentSpanContext: root.spanContext(),
    })),
  ];
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
