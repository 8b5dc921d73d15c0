/** Logs of the service: pino lines on the error stream, secrets masked. */
import { pino } from 'pino';
import type { Log } from '../cloud/context.js';
import type { Output } from './host.js';

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRETS = ['token', 'claimToken', 'apiKey', 'key', 'secret', 'headers["x-api-key"]', 'headers.authorization'];

export function createLog(output: Output, level: LogLevel): Log {
  return pino(
    { level, base: null, redact: { paths: SECRETS, censor: '***' } },
    { write: (line) => output.write(line) },
  );
}
