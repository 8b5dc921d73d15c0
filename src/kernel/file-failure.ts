/** Messages for files that cannot be read or written. */
import { UsageError } from './errors.js';
import { systemReason } from './system-errors.js';

/** @param missing the message for a file that does not exist */
export function fileReason(error: unknown, missing: string): string {
  // The cast is safe because all errors of Node's file system have a code.
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? missing : (systemReason(code) ?? message);
}

/** @param what the file with its path in quotes, such as `the event log "runs/events.jsonl"` */
export function cannotWrite(what: string, error: unknown): UsageError {
  return new UsageError('cannot-write', `cannot write ${what}: ${fileReason(error, 'no such directory')}`);
}
