/** Texts for the error codes of the operating system, the same for files, ports and connections. */

/** The text for a code such as `EACCES`, for use in a message; undefined for an unknown code. */
export function systemReason(code: string): string | undefined {
  return REASONS[code];
}

/**
 * Whether a failure to send has its cause in this machine, before anything is on the network: its limits, its memory, its
 * firewall, its resolver, its routes.
 */
export function isOfThisMachine(code: string): boolean {
  return OF_THIS_MACHINE.has(code) || code.startsWith('EAI_');
}

const OF_THIS_MACHINE: ReadonlySet<string> = new Set([
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EPERM', 'EACCES'],
  ...['ENETDOWN', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EADDRINUSE', 'EINVAL', 'EMSGSIZE'],
]);

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'a file with that name exists',
  EISDIR: 'it is a directory',
  ERR_FS_EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EMFILE: 'too many open files of this process',
  ENFILE: 'too many open files of this machine',
  ENOBUFS: 'no memory for the network is left',
  ENOMEM: 'no memory is left',
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
  ENETDOWN: 'the network of this machine is down',
  ENETUNREACH: 'no route to the host',
  ETIMEDOUT: 'connecting timed out',
};
