/**
 * `gnss`: the GNSS receiver of CHESTER Demo (shell S-34). In CHESTER-M the receiver is a separate chip. In CHESTER-U1 the modem
 * determines the position between its exchanges. It reports neither the quality of the fix nor the number of satellites: this
 * shell shows both as 0 before the fix, and as -1 after it.
 */
import { type Millis, seconds } from '../../kernel/time.js';
import type { Command } from '../shell/command.js';
import type { ShellHost } from '../shell/host.js';
import { groupHelp, ok } from './results.js';

/** Time from a cold start to the first fix, under an open sky [assumption]. */
const FIRST_FIX: Millis = seconds(35);
/** The number of satellites grows to `atFix` until the first fix, then by one in each interval `every`, up to `most`. */
const SATELLITES = { atFix: 5, most: 9, every: seconds(15) };

export const gnss: Command = {
  word: 'gnss',
  help: 'The GNSS receiver.',
  run: groupHelp,
  children: [
    {
      word: 'start',
      help: 'Start the receiver.',
      args: [0, 0],
      run: (host) => {
        host.shellMemory.gnssSince ??= host.uptime;
        setPositioning(host, true);
        return ok(`correlation id: ${host.shellMemory.gnssRequests++}`);
      },
    },
    {
      word: 'state',
      help: 'Show the fix, if there is one.',
      args: [0, 0],
      run: (host) => {
        const since = host.shellMemory.gnssSince;
        const searched = since === undefined ? 0 : host.uptime - since;
        const fixed = searched >= FIRST_FIX;
        const { byModem, ...place } = host.board.position();
        const { latitude, longitude, altitude } = fixed ? place : NOWHERE;
        const found = byModem ? { fix: fixed ? -1 : 0, satellites: fixed ? -1 : 0 } : ownReceiver(searched);
        return ok(
          `running: ${since === undefined ? 'no' : 'yes'}`,
          `fix: ${found.fix}`,
          `satellites: ${found.satellites}`,
          `latitude: ${latitude.toFixed(7)}`,
          `longitude: ${longitude.toFixed(7)}`,
          `altitude: ${altitude.toFixed(1)}`,
        );
      },
    },
    {
      word: 'stop',
      help: 'Stop the receiver.',
      args: [0, 0],
      run: (host) => {
        host.shellMemory.gnssSince = undefined;
        setPositioning(host, false);
        return ok(`correlation id: ${host.shellMemory.gnssRequests++}`);
      },
    },
  ],
};

/** The receiver of CHESTER-M is not a part of its modem. */
function setPositioning({ board, hardware }: ShellHost, on: boolean): void {
  if (board.position().byModem) hardware.modem.positioning = on;
}

const NOWHERE = { latitude: 0, longitude: 0, altitude: 0 };

function ownReceiver(searched: Millis): { readonly fix: number; readonly satellites: number } {
  const { atFix, most, every } = SATELLITES;
  if (searched < FIRST_FIX) return { fix: 0, satellites: Math.floor((searched * atFix) / FIRST_FIX) };
  return { fix: 1, satellites: Math.min(most, atFix + Math.floor((searched - FIRST_FIX) / every)) };
}
