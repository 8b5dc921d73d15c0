/** Messages for ports that cannot be opened. */
import { UsageError } from './errors.js';
import { systemReason } from './system-errors.js';

/** @param port with its purpose, such as `UDP port 5003` */
export function portRefused(port: string, host: string, { code = '', message }: NodeJS.ErrnoException): UsageError {
  return new UsageError('port-in-use', `cannot open ${port} on "${host}": ${systemReason(code) ?? message}`);
}
