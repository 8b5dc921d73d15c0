/** Messages for ports that cannot be opened. */
import { UsageError } from './errors.js';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses it',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'permission denied',
  ENOTFOUND: 'unknown host',
};

/** @param port with its purpose, such as `UDP port 5003` */
export function portRefused(port: string, host: string, { code = '', message }: NodeJS.ErrnoException): UsageError {
  return new UsageError('port-in-use', `cannot open ${port} on "${host}": ${REASONS[code] ?? message}`);
}
