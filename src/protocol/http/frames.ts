/** A device's HTTP request and response as bytes, for transport and faults; transport/http.ts makes real HTTP of them. */

/** Kind of a request: the last part of its path. */
const REQUEST_KINDS = ['session', 'uplink', 'poll', 'ack'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

interface RequestFrame {
  readonly kind: RequestKind;
  /** Identifies the request: response and repetitions of the request have the same key (`Idempotency-Key`). */
  readonly key: string;
  /** Claim token, 32 hex digits. */
  readonly token: string;
  /** JSON. */
  readonly body: string;
}

interface ResponseFrame {
  readonly key: string;
  /** HTTP status code. */
  readonly status: number;
  /** JSON for a 2xx status. */
  readonly body: string;
}

export function encodeRequest({ kind, key, token, body }: RequestFrame): Uint8Array {
  return Buffer.from(`${kind} ${key} ${token}\n${body}`);
}

/** @throws Error for bytes that {@link encodeRequest} did not create */
export function decodeRequest(bytes: Uint8Array): RequestFrame {
  const { head, body } = split(bytes);
  const [word, key, token] = head;
  const kind = REQUEST_KINDS.find((known) => known === word);
  if (kind === undefined || key === undefined || token === undefined) throw new Error('not a request frame');
  return { kind, key, token, body };
}

export function encodeResponse({ key, status, body }: ResponseFrame): Uint8Array {
  return Buffer.from(`${key} ${status}\n${body}`);
}

/** Returns undefined for bytes that are not a response frame. */
export function decodeResponse(bytes: Uint8Array): ResponseFrame | undefined {
  const { head, body } = split(bytes);
  const [key, status] = head;
  return key === undefined || status === undefined ? undefined : { key, status: Number(status), body };
}

function split(bytes: Uint8Array): { readonly head: readonly string[]; readonly body: string } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const end = text.indexOf('\n');
  return { head: text.slice(0, end).split(' '), body: text.slice(end + 1) };
}
