/** A collector of OpenTelemetry: it decodes the requests by the field numbers of the published .proto files. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** How a field is encoded; an object for a message, an array for a repeated field. */
type Kind = 'text' | 'hex' | 'fixed' | 'double' | 'varint' | 'doubles' | 'fixeds' | Schema;
type Schema = Readonly<{ [number: number]: readonly [name: string, kind: Kind, many?: 'many'] }>;

const VALUE: Schema = {
  1: ['stringValue', 'text'],
  2: ['boolValue', 'varint'],
  3: ['intValue', 'varint'],
  4: ['doubleValue', 'double'],
};
const PAIR: Schema = { 1: ['key', 'text'], 2: ['value', VALUE] };
const RESOURCE: Schema = { 1: ['attributes', PAIR, 'many'] };
const STATUS: Schema = { 2: ['message', 'text'], 3: ['code', 'varint'] };
const SPAN: Schema = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'text'],
  6: ['kind', 'varint'],
  7: ['startTimeUnixNano', 'fixed'],
  8: ['endTimeUnixNano', 'fixed'],
  9: ['attributes', PAIR, 'many'],
  15: ['status', STATUS],
};
const NUMBER_POINT: Schema = {
  3: ['timeUnixNano', 'fixed'],
  4: ['asDouble', 'double'],
  6: ['asInt', 'fixed'],
  7: ['attributes', PAIR, 'many'],
};
const HISTOGRAM_POINT: Schema = {
  4: ['count', 'fixed'],
  5: ['sum', 'double'],
  6: ['bucketCounts', 'fixeds'],
  7: ['explicitBounds', 'doubles'],
  9: ['attributes', PAIR, 'many'],
};
const METRIC: Schema = {
  1: ['name', 'text'],
  3: ['unit', 'text'],
  5: ['gauge', { 1: ['dataPoints', NUMBER_POINT, 'many'] }],
  7: ['sum', { 1: ['dataPoints', NUMBER_POINT, 'many'], 3: ['isMonotonic', 'varint'] }],
  9: ['histogram', { 1: ['dataPoints', HISTOGRAM_POINT, 'many'] }],
};
const TRACES: Schema = {
  1: [
    'resourceSpans',
    { 1: ['resource', RESOURCE], 2: ['scopeSpans', { 2: ['spans', SPAN, 'many'] }, 'many'] },
    'many',
  ],
};
const METRICS: Schema = {
  1: [
    'resourceMetrics',
    { 1: ['resource', RESOURCE], 2: ['scopeMetrics', { 2: ['metrics', METRIC, 'many'] }, 'many'] },
    'many',
  ],
};

type Fields = { [name: string]: unknown };

function decode(bytes: Uint8Array, schema: Schema): Fields {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out: Fields = {};
  let at = 0;
  const varint = () => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const [name, kind, many] = schema[tag >> 3] ?? [];
    const type = tag & 7;
    const number = type === 0 || type === 2 ? varint() : 0;
    const from = at;
    at += type === 1 ? 8 : type === 5 ? 4 : type === 2 ? number : 0;
    if (![0, 1, 2, 5].includes(type) || at > bytes.length) throw new Error(`wrong wire type ${type} at byte ${from}`);
    if (name === undefined || kind === undefined) continue;
    const inner = bytes.subarray(from, at);
    const value = () => {
      if (kind === 'varint') return number;
      if (kind === 'double') return view.getFloat64(from, true);
      if (kind === 'fixed') return Number(view.getBigUint64(from, true));
      if (kind === 'text') return Buffer.from(inner).toString('utf8');
      if (kind === 'hex') return Buffer.from(inner).toString('hex');
      const packed = new DataView(inner.buffer, inner.byteOffset, inner.byteLength);
      const places = Array.from({ length: inner.length / 8 }, (_, i) => 8 * i);
      if (kind === 'doubles') return places.map((place) => packed.getFloat64(place, true));
      if (kind === 'fixeds') return places.map((place) => Number(packed.getBigUint64(place, true)));
      return decode(inner, kind);
    };
    if (many) out[name] = [...((out[name] as unknown[]) ?? []), value()];
    else out[name] = value();
  }
  return out;
}

type Labels = Readonly<Record<string, string | number>>;

export interface ReceivedSpan {
  readonly resource: Labels;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
  readonly attributes: Labels;
  readonly status: string | undefined;
}

export interface ReceivedPoint {
  readonly resource: Labels;
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly attributes: Labels;
  /** The count of a histogram. */
  readonly value: number;
  readonly buckets?: readonly number[];
  readonly bounds?: readonly number[];
  readonly sum?: number;
}

interface Request {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Collector {
  readonly url: string;
  readonly requests: Request[];
  readonly spans: ReceivedSpan[];
  /** The points of the last export of metrics. */
  points: ReceivedPoint[];
  close(): void;
}

/** @param answer sends the response. Default: 200 */
export async function openCollector(
  answer: (response: ServerResponse, request: Request) => void = (response) => response.end(),
): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part);
    const { url: path = '', headers } = request;
    const sent = Buffer.concat(parts);
    const body = headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const isJson = headers['content-type'] === 'application/json';
    const read = (schema: Schema): Fields => (isJson ? JSON.parse(body.toString()) : decode(body, schema));
    collector.requests.push({ path, headers });
    if (path.endsWith('/v1/traces')) collector.spans.push(...listSpans(read(TRACES)));
    if (path.endsWith('/v1/metrics')) collector.points = listPoints(read(METRICS));
    answer(response, { path, headers });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    // The cast is safe because a server that listens on TCP has an address with a port.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    spans: [],
    points: [],
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return collector;
}

// The casts below are safe because the schemas have these fields.
const list = (value: unknown) => (value ?? []) as readonly Fields[];

function labelsOf(value: unknown): Labels {
  return Object.fromEntries(
    list(value).map(({ key, value: any }) => {
      const [found] = Object.values((any ?? {}) as Readonly<Record<string, string | number>>);
      return [String(key), found ?? ''];
    }),
  );
}

function listSpans(request: Fields): readonly ReceivedSpan[] {
  return list(request.resourceSpans).flatMap(({ resource, scopeSpans }) =>
    list(scopeSpans).flatMap(({ spans }) =>
      list(spans).map((span) => ({
        resource: labelsOf((resource as Fields).attributes),
        traceId: String(span.traceId),
        spanId: String(span.spanId),
        parentSpanId: span.parentSpanId ? String(span.parentSpanId) : undefined,
        name: String(span.name),
        kind: Number(span.kind),
        from: Number(span.startTimeUnixNano) / 1e6,
        until: Number(span.endTimeUnixNano) / 1e6,
        attributes: labelsOf(span.attributes),
        status: (span.status as Fields | undefined)?.message as string | undefined,
      })),
    ),
  );
}

function listPoints(request: Fields): ReceivedPoint[] {
  return list(request.resourceMetrics).flatMap(({ resource, scopeMetrics }) =>
    list(scopeMetrics).flatMap(({ metrics }) =>
      list(metrics).flatMap((metric) => {
        const kind = (['gauge', 'sum', 'histogram'] as const).find((each) => metric[each] !== undefined) ?? 'gauge';
        return list((metric[kind] as Fields | undefined)?.dataPoints).map((point) => ({
          resource: labelsOf((resource as Fields).attributes),
          name: String(metric.name),
          unit: String(metric.unit ?? ''),
          kind,
          attributes: labelsOf(point.attributes),
          value: Number(kind === 'histogram' ? point.count : (point.asDouble ?? point.asInt)),
          ...(kind === 'histogram' && {
            buckets: (point.bucketCounts as readonly unknown[]).map(Number),
            bounds: point.explicitBounds as readonly number[],
            sum: Number(point.sum),
          }),
        }));
      }),
    ),
  );
}
