/** The option `--capture` of commands with devices or a service. */
import { closeSync, constants, openSync } from 'node:fs';
import { pause } from '../kernel/deadline.js';
import { UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import type { Millis } from '../kernel/time.js';
import { isPipe } from '../kernel/write-files.js';
import { checkOption } from './command.js';

/** How often a pipe without a reader is tried. */
const PAUSE: Millis = 100;

export const CAPTURE = checkOption(
  { describe: 'file for the datagrams on the wire, for Wireshark and "ghostfleet inspect" (pcapng)' },
  'capture',
  'a file; for another program that reads it meanwhile, name a pipe (mkfifo)',
  (path) => (path === '-' ? undefined : path),
);

/**
 * @param excluded whether options that exclude `--capture` are given, by option
 * @throws UsageError if one is
 */
export function checkCapture(capture: string | undefined, excluded: Readonly<Record<string, boolean>>): void {
  const [wrong] = Object.entries(excluded).find(([, given]) => given) ?? [];
  if (capture === undefined || wrong === undefined) return;
  throw new UsageError(
    'bad-flags',
    `--capture cannot be used with ${wrong}: it records the datagrams of devices in this process`,
  );
}

/**
 * If the capture is a named pipe, waits for its reader. Call it before the command handles signals, so that a signal ends the
 * wait.
 * @returns a function for the time when the capture is open: until then, the reader must not see the end of the pipe
 */
export async function awaitReader(capture: string | undefined): Promise<() => void> {
  const clock = new RealClock();
  while (capture !== undefined && isPipe(capture)) {
    try {
      // Opened without waiting: a system call that waits would also keep the process from ending.
      const file = openSync(capture, constants.O_WRONLY | constants.O_NONBLOCK);
      return () => closeSync(file);
    } catch (error) {
      // The capture reports other errors.
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') break;
    }
    await pause({ clock, limit: PAUSE, what: 'the reader of a capture' });
  }
  return () => {};
}
