/** `rtc`: the clock of the device, in UTC (shell S-28). */
import type { UnixSeconds } from '../../kernel/time.js';
import { EINVAL } from '../../protocol/errno.js';
import type { Command } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import { groupHelp, ok, refused } from './results.js';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
/** Range of the firmware's calendar (`ctr_rtc.c`, `ctr_rtc_set_tm`). */
const YEARS = { from: 1970, to: 2099 };
const END: UnixSeconds = Date.UTC(YEARS.to + 1, 0) / 1000;

/** Whether the clock of a device can be set to this time; if not, it keeps its own. */
export function isInCalendar(time: UnixSeconds): boolean {
  return time >= 0 && time < END;
}

export const rtc: Command = {
  word: 'rtc',
  help: 'The clock.',
  run: groupHelp,
  children: [
    {
      word: 'get',
      help: 'Show date and time.',
      args: [0, 0],
      run: (host) => ok(calendar(host.readUnixTime())),
    },
    {
      word: 'set',
      help: 'Set date and time: YYYY/MM/DD hh:mm:ss',
      args: [2, 2],
      run: (host, [date = '', time = ''], command) => {
        const fields = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(`${date} ${time}`);
        if (!fields) return refused(EINVAL, ...commandHelp(command));
        const seconds = unixTime(fields.slice(1).map(Number));
        // The firmware rejects an invalid date without a message.
        if (seconds === undefined) return refused(EINVAL);
        host.moveClock(seconds);
        return ok();
      },
    },
  ],
};

/** `2026/08/07 12:34:56 Fri` */
function calendar(time: UnixSeconds): string {
  const date = new Date(Math.floor(time) * 1000);
  const [day = '', rest = ''] = date.toISOString().split('T');
  return `${day.replaceAll('-', '/')} ${rest.slice(0, 8)} ${WEEKDAYS[date.getUTCDay()]}`;
}

/** Unix seconds of year, month, day, hour, minute and second in UTC; undefined if they are not a valid time. */
function unixTime(fields: readonly number[]): UnixSeconds | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields;
  if (year < YEARS.from || year > YEARS.to || hour > 23 || minute > 59 || second > 59) return undefined;
  const midnight = new Date(Date.UTC(year, month - 1, day));
  // JavaScript would accept 31 February as a day in March.
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  return midnight.getTime() / 1000 + hour * 3600 + minute * 60 + second;
}
