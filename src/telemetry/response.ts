/** What a response with a status of 2xx says about a batch. A proxy may have sent it: a page to sign in, for example. */
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { foreignJson, foreignNumber, isObject } from '../kernel/json-text.js';

export interface Received {
  readonly body: Uint8Array;
  /** The media type in lower case, without parameters; empty if the response names none. */
  readonly type: string;
}

/** The part of a batch that the collector has not accepted. */
export interface Refused {
  readonly items: number;
  /** In the words of the collector; may be empty. */
  readonly reason: string;
}

/** Characters of a collector's message. */
const LONGEST_REASON = 200;
const NOT_OTLP = 'the response is not OTLP';
const BINARY: readonly string[] = ['application/x-protobuf', 'application/protobuf', 'application/octet-stream'];

/** @returns a text for a response that is not one of OTLP: the batch is lost */
export function readResponse({ body, type }: Received, encoding: 'protobuf' | 'json'): Refused | string {
  if (body.length === 0) return { items: 0, reason: '' };
  const isJson = type === '' ? encoding === 'json' : /[/+]json$/.test(type);
  if (!isJson && type !== '' && !BINARY.includes(type)) return `${NOT_OTLP}, but ${type}`;
  const read = isJson ? foreignJson(new TextDecoder().decode(body)) : decode(body);
  if (!isObject(read)) return NOT_OTLP;
  const part = isObject(read.partialSuccess) ? read.partialSuccess : {};
  const items = foreignNumber(part.rejectedSpans ?? part.rejectedDataPoints);
  const reason = typeof part.errorMessage === 'string' ? part.errorMessage : '';
  return { items: items > 0 ? items : 0, reason: reason.slice(0, LONGEST_REASON) };
}

/** The responses to metrics and to traces have the same fields, with other names for the number of refused items. */
function decode(body: Uint8Array): unknown {
  try {
    return ProtobufMetricsSerializer.deserializeResponse(body);
  } catch {
    return undefined;
  }
}
