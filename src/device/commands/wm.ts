/** `wm`: the wM-Bus receiver (catalog.json, wmbus). Most of its commands print nothing. */
import { seconds, type UnixSeconds } from '../../kernel/time.js';
import { EINVAL } from '../../protocol/errno.js';
import { leadingInteger } from '../config/parse.js';
import type { Command, Handler } from '../shell/command.js';
import type { ShellHost } from '../shell/host.js';
import { groupHelp, ok, refused } from './results.js';

/** Default threshold of `wm enroll`, in dBm. */
const WEAKEST = -150;

export const wm: Command = {
  word: 'wm',
  help: 'The wM-Bus receiver.',
  run: groupHelp,
  children: [
    // `on` and `off` serve to measure the power consumption. They have no effect here: frames are received only in a scan.
    { word: 'on', help: 'Switch the receiver on.', run: () => ok() },
    { word: 'off', help: 'Switch the receiver off.', run: () => ok() },
    { word: 'config', help: 'Configure the receiver.', run: () => ok() },
    { word: 'scan', help: 'Begin a scan.', run: queueing((host) => scan(host, (receiver) => receiver.begin())) },
    {
      word: 'timeout',
      help: 'End the scan, and report.',
      run: queueing((host) => host.application.reportNow('shell')),
    },
    {
      word: 'enroll',
      help: 'Add the meters in range to the list, save and reboot: [<timeout in s>] [<weakest signal in dBm>]',
      run: (host, [time, strength]) => {
        const timeout = time === undefined ? scanTimeout(host) : leadingInteger(time);
        if (time !== undefined && (timeout < 5 || timeout > 86_400)) {
          return refused(EINVAL, 'Invalid timeout value, expected 5-86400 seconds');
        }
        const threshold = strength === undefined ? WEAKEST : leadingInteger(strength);
        if (strength !== undefined && (threshold < -128 || threshold > 0)) {
          return refused(EINVAL, 'Invalid RSSI threshold value, expected -128 to 0 dBm');
        }
        scan(host, (receiver) => receiver.enroll(seconds(timeout), threshold));
        return ok(`Enroll mode for ${timeout} seconds, RSSI threshold ${threshold} dBm`);
      },
    },
    { word: 'send', help: 'Send a report now.', run: queueing((host) => host.application.reportNow('shell')) },
    { word: 'weekday', help: 'Write the day of the week to the log.', run: () => ok() },
    { word: 'ant', help: 'Switch the antennas: <antenna> <0 | 1>', args: [2, 2], run: () => ok() },
    { word: 'push', help: 'Add a made-up frame.', run: queueing((host) => host.receiver?.pushMadeUp()) },
    { word: 'poll', help: 'Ask the cloud for a downlink now.', run: queueing((host) => host.cloud.requestPoll()) },
    {
      word: 'poll_ts',
      help: 'Show the time of the last message from the cloud.',
      run: (host) => {
        const { lastSeen } = host.cloud.counters;
        return ok(lastSeen === undefined ? 'No downlink timestamp' : `ts: ${lastSeen}, date: ${calendar(lastSeen)}`);
      },
    },
    {
      word: 'heap',
      help: 'Show how much memory is in use.',
      run: () => ok('allocated 1284, free 6620, max allocated 3148, heap size 8192'),
    },
  ],
};

function queueing(queue: (host: ShellHost) => void): Handler {
  return (host) => {
    queue(host);
    return ok();
  };
}

function scan({ receiver, application }: ShellHost, begin: (receiver: Scanner) => void): void {
  if (receiver === undefined) return;
  begin(receiver);
  application.planScan();
}

type Scanner = NonNullable<ShellHost['receiver']>;

function scanTimeout({ config }: ShellHost): number {
  return config.layout.find('app', 'scan-timeout') ? config.number('app', 'scan-timeout') : 0;
}

/** `Fri Aug 07 2026 12:34:56` */
function calendar(time: UnixSeconds): string {
  const [weekday = '', day = '', month = '', year = '', clock = ''] = new Date(1000 * time).toUTCString().split(' ');
  return `${weekday.replace(',', '')} ${month} ${day} ${year} ${clock}`;
}
