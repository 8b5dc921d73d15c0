/** Texts for the error codes of the operating system, the same for files, ports and connections. */

/** The text for a code such as `EACCES`, for use in a message; undefined for an unknown code. */
export function systemReason(code: string): string | undefined {
  return REASONS[code];
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'a file with that name exists',
  EISDIR: 'it is a directory',
  ERR_FS_EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is a file, not a directory',
  ENOSPC: 'the disk is full',
  EFBIG: 'the file exceeds the size limit of the process or of the file system',
  EROFS: 'the file system is read-only',
  EADDRINUSE: 'another process uses it',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ETIMEDOUT: 'connecting timed out',
};
