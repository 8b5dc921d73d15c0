/** Ports that cannot be had: a sentence for each reason that users meet. */
import { UsageError } from './errors.js';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'that takes more rights',
  ENOTFOUND: 'there is no such host',
};

/** @param port with what it is for, such as `UDP port 5003` */
export function portRefused(port: string, host: string, { code = '', message }: NodeJS.ErrnoException): UsageError {
  return new UsageError('port-in-use', `${port} on "${host}" cannot be used: ${REASONS[code] ?? message}`);
}
