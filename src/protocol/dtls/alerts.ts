/**
 * Alerts: how one end of a connection informs the other of an error or of the end of the connection (RFC 5246, section 7.2).
 */

/** Alerts that this implementation sends, or names when it receives them. */
const CODES = {
  'close-notify': 0,
  'unexpected-message': 10,
  'bad-record-mac': 20,
  'handshake-failure': 40,
  'illegal-parameter': 47,
  'decode-error': 50,
  'decrypt-error': 51,
  'protocol-version': 70,
  'insufficient-security': 71,
  'internal-error': 80,
  'user-cancelled': 90,
  'no-renegotiation': 100,
  'unsupported-extension': 110,
  'unknown-psk-identity': 115,
} as const;

export type AlertName = keyof typeof CODES;

const WARNING = 1;
const FATAL = 2;
const WARNINGS: ReadonlySet<AlertName> = new Set(['close-notify', 'no-renegotiation', 'user-cancelled']);

export interface Alert {
  /** `alert 49` if the code has no name here. */
  readonly name: AlertName | `alert ${number}`;
  /** Whether the alert ends the connection. */
  readonly fatal: boolean;
}

export function encodeAlert(name: AlertName): Uint8Array {
  return Uint8Array.of(WARNINGS.has(name) ? WARNING : FATAL, CODES[name]);
}

/** undefined for bytes that are not an alert. */
export function decodeAlert(bytes: Uint8Array): Alert | undefined {
  const [level, code] = bytes;
  if (bytes.length !== 2 || code === undefined) return undefined;
  const name = NAMES.get(code) ?? `alert ${code}`;
  return { name, fatal: level === FATAL || name === 'close-notify' };
}

const NAMES: ReadonlyMap<number, AlertName> = new Map(
  Object.entries(CODES).map(([name, code]) => [code, name as AlertName]),
);
