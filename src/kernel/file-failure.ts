/** Messages for files that cannot be read or written. */
import { UsageError } from './errors.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'a file with that name exists',
  EISDIR: 'it is a directory',
  ERR_FS_EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is a file, not a directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

/** @param missing the message for a file that does not exist */
export function fileReason(error: unknown, missing: string): string {
  // Because all errors of Node's file system have a code.
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? missing : (REASONS[code] ?? message);
}

/** @param what with its path in quotes, such as `the event log "runs/events.jsonl"` */
export function cannotWrite(what: string, error: unknown): UsageError {
  return new UsageError('cannot-write', `cannot write ${what}: ${fileReason(error, 'no such directory')}`);
}
