/** Files and directories whose rights do not permit this process to use them, in words for its user. */
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isError } from './errors.js';
import { codeOf, systemReason } from './system-errors.js';
import { shownCommand } from './web-address.js';

export interface Denied {
  readonly path: string;
  /** `cannot be read: permission denied; it belongs to root` */
  readonly why: string;
  /** Whether a file belongs to the user of this process. Undefined for a directory, and on Windows. */
  readonly isOwn: boolean | undefined;
}

/** Undefined if the rights permit the use, or if nothing exists there. If a directory above cannot be entered: that directory. */
export function findDenied(path: string, use: 'read' | 'write'): Denied | undefined {
  const canRead = isPermitted(path, constants.R_OK);
  if (canRead && (use === 'read' || isPermitted(path, constants.W_OK))) return undefined;
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    return there && denied(path, `cannot be ${canRead ? 'written to' : 'read'}`, there);
  } catch {
    const folder = dirname(path);
    return findDenied(folder, 'read') ?? denied(folder, 'cannot be entered', statSync(folder));
  }
}

/** A command that gives the user of this process the rights; undefined if there is none for a directory, or on Windows. */
export function rightsCommand(all: readonly Denied[]): string | undefined {
  const pathsOf = (own: boolean) => all.filter(({ isOwn }) => isOwn === own).map(({ path }) => path);
  const [others, own] = [pathsOf(false), pathsOf(true)];
  if (others.length > 0) return shownCommand(['sudo', 'chown', String(process.getuid?.()), ...others]);
  return own.length > 0 ? shownCommand(['chmod', '600', ...own]) : undefined;
}

function denied(path: string, what: string, there: Stats): Denied {
  const { uid } = there;
  const user = process.getuid?.();
  const isOwn = user === undefined ? undefined : user === uid;
  const owner = uid === 0 ? 'root' : `the user with the number ${uid}`;
  return {
    path,
    why: `${what}: ${systemReason('EACCES')}${isOwn === false ? `; it belongs to ${owner}` : ''}`,
    // Nothing is proposed for a directory: it may be one of the system.
    isOwn: there.isDirectory() ? undefined : isOwn,
  };
}

function isPermitted(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch (error) {
    return !(isError(error) && ['EACCES', 'EPERM'].includes(codeOf(error)));
  }
}
