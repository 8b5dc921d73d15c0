/** Files that cannot be read or written: a sentence for each reason that users meet. */
import { UsageError } from './errors.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'that takes more rights',
  EPERM: 'that takes more rights',
  EEXIST: 'a file of that name is in the way',
  EISDIR: 'it is a directory',
  ERR_FS_EISDIR: 'it is a directory',
  ENOTDIR: 'a file stands where a directory is wanted',
  ENOSPC: 'the disk is full',
  EROFS: 'that file system is only for reading',
};

/** @param missing what it means here that there is nothing of that name */
export function fileReason(error: unknown, missing: string): string {
  // Because all errors of Node's file system have a code.
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? missing : (REASONS[code] ?? message);
}

/** @param what with its path in quotes, such as `the event log "runs/events.jsonl"` */
export function cannotWrite(what: string, error: unknown): UsageError {
  return new UsageError(
    'cannot-write',
    `${what} cannot be written: ${fileReason(error, 'there is no such directory')}`,
  );
}
