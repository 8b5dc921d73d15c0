/** `fs`: unsent messages in flash (shell S-37; timing T-29). Only listing, reading and deleting are implemented. */
import { Buffer } from 'node:buffer';
import { EINVAL, ENOENT, ENOEXEC } from '../../protocol/errno.js';
import type { Command, CommandResult } from '../shell/command.js';
import type { ShellHost } from '../shell/host.js';
import { ok, refused } from './results.js';

const ROOT = '/lfs1';
const SPOOL = `${ROOT}/spool`;

export const fs: Command = {
  word: 'fs',
  help: 'The file system in flash.',
  children: [
    {
      word: 'cat',
      help: 'Show what is in a file: <path>',
      args: [1, 1],
      run: (host, [path = '']) => {
        const n = fileNumber(host, path);
        const message = n === undefined ? undefined : host.equipment.spool?.messages[n];
        if (message === undefined) return refused(ENOEXEC, `Failed to obtain file ${path} (err: ${ENOENT})`);
        // Bytes outside printable ASCII could be control characters of the terminal.
        return ok(
          Buffer.from(message)
            .toString('latin1')
            .replace(/[^ -~]/g, '.'),
        );
      },
    },
    {
      word: 'ls',
      help: 'List a directory: [<path>]',
      args: [0, 1],
      run: (host, [path = ROOT]) => list(host, path.length > 1 ? path.replace(/\/$/, '') : path),
    },
    {
      word: 'rm',
      help: 'Delete a file: <path>',
      args: [1, 1],
      run: (host, [path = '']) => {
        const n = fileNumber(host, path);
        if (n === undefined) {
          const errno = path === SPOOL || path === ROOT ? EINVAL : ENOENT;
          return refused(ENOEXEC, `Failed to remove ${path} (${errno})`);
        }
        host.equipment.spool?.remove(n);
        return ok();
      },
    },
  ],
};

function list({ equipment: { spool } }: ShellHost, path: string): CommandResult {
  if (path === '/') return ok('lfs1/');
  if (path === ROOT) return ok(...(spool ? ['spool/'] : []));
  if (path === SPOOL && spool) return ok(...spool.messages.map((_, n) => String(n)));
  return refused(ENOEXEC, `Unable to open ${path} (err ${ENOENT})`);
}

/** Position of a file in the spool, which is its name; undefined for others. In the firmware, the name is a time. */
function fileNumber({ equipment: { spool } }: ShellHost, path: string): number | undefined {
  const name = path.startsWith(`${SPOOL}/`) ? path.slice(SPOOL.length + 1) : '';
  const n = Number(name);
  return /^\d+$/.test(name) && n < (spool?.messages.length ?? 0) ? n : undefined;
}
