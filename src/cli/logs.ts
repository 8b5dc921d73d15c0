/**
 * Logs of the service: pino lines on the error stream.
 *
 * Callers do not log secrets. Two filters are a safeguard against mistakes. The first masks fields with the name of a secret,
 * at any depth. The second masks texts in the finished line that look like a secret, or that equal a secret from the command
 * line. Ids are not mistaken for keys: ids are UUIDs of version 7, keys of version 4.
 */
import { pino } from 'pino';
import { hideSecrets } from '../kernel/known-secrets.js';
import type { Log } from '../kernel/log.js';
import type { Output } from './host.js';

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** @param secrets texts that must not appear in a line, such as the key that the user chose */
export function createLog(output: Output, level: LogLevel, secrets: readonly string[] = []): Log {
  return pino(
    { level, base: null, formatters: { log: (fields) => maskValue(fields) as Record<string, unknown> } },
    { write: (line) => output.write(scrubLine(line, secrets)) },
  );
}

/** The log of a run, for people: `ghostfleet: commit failed (error: the disk is full)`. */
export function createNotes(output: Output): Log {
  return createLog({ ...output, write: (line) => output.write(formatNote(line)) }, 'error');
}

function formatNote(line: string): string {
  // The cast is safe because pino writes objects with these fields.
  const { msg, level, time, ...fields } = JSON.parse(line) as { readonly msg: string } & Record<string, unknown>;
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `ghostfleet: ${msg}${rest.length === 0 ? '' : ` (${rest.join(', ')})`}\n`;
}

const MASK = '***';
const SECRET_NAME = /^(?:(?:claim|access|api|x-api)?[_-]?(?:token|key)|secret|password|psk|authorization|cookie)$/i;

const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  // Claim tokens, and keys that the service created.
  [/\b[0-9a-f]{32}\b/gi, MASK],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, MASK],
  // Headers, and the credentials of a database address.
  [/\b(bearer|apikey|claim|basic)\s+[^\s"\\]+/gi, `$1 ${MASK}`],
  [/:\/\/[^\s/@"\\]+@/g, `://${MASK}@`],
  // Input and output of a device shell.
  [/(\bconfig (?=[^\s"\\]*(?:passw|key|token|secret))[^\s"\\]+\s+)(?:\\"(?:(?!\\").)*\\"|[^\s"\\]+)/gi, `$1${MASK}`],
  [/(\bpasskey: )[^\s"\\]+/g, `$1${MASK}`],
];

function scrubLine(line: string, secrets: readonly string[]): string {
  let text = hideSecrets(line, secrets, MASK);
  for (const [form, mask] of SECRET_FORMS) text = text.replace(form, mask);
  return text;
}

function maskValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskValue);
  // pino serializes errors itself.
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, SECRET_NAME.test(name) ? MASK : maskValue(inner)]),
  );
}
