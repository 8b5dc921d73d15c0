/** `cloud`: the connection to the cloud (shell S-21). */
import type { UnixSeconds } from '../../kernel/time.js';
import { EINVAL, ENOTSUP } from '../../protocol/errno.js';
import { leadingInteger } from '../config/parse.js';
import type { DeviceTime } from '../link/cloud-counters.js';
import type { Command, CommandResult } from '../shell/command.js';
import type { ShellSpool } from '../shell/equipment.js';
import type { CloudMetrics, ShellHost } from '../shell/host.js';
import { failed, groupHelp, ok, refused, succeeded } from './results.js';

/** 2020-01-01T00:00:00Z: the firmware treats an earlier time as not synchronised. */
const SYNCED_SINCE = 1_577_836_800;
const FIRMWARE_ID_MAX = 200;

/** @param spool whether the application has a spool (unsent messages in flash), and so its commands */
export function cloudGroup(spool: boolean): Command {
  return {
    word: 'cloud',
    help: 'The connection to the cloud.',
    run: groupHelp,
    children: spool ? [state, metrics, pollCloud, firmware, spoolGroup] : [state, metrics, pollCloud, firmware],
  };
}

const state: Command = {
  word: 'state',
  help: 'Show whether a session is set up, and the time of the last message from the cloud.',
  args: [0, 0],
  run: (host) => {
    const { initialized, counters } = host.cloud;
    return succeeded(`initialized: ${initialized ? 'yes' : 'no'}`, `last seen ts: ${counters.lastSeen ?? 0}`);
  },
};

const metrics: Command = {
  word: 'metrics',
  help: 'Show the counters of the connection.',
  args: [0, 0],
  run: (host) => succeeded(...metricsLines(host.cloud.counters, host.readUnixTime())),
};

export const pollCloud: Command = {
  word: 'poll',
  help: 'Ask the cloud for a downlink now.',
  args: [0, 0],
  run: (host) => {
    host.cloud.requestPoll();
    return succeeded();
  },
};

const firmware: Command = {
  word: 'firmware',
  help: 'Firmware of this device.',
  args: [0, 0],
  run: groupHelp,
  children: [downloadFirmware('ctr_cloud_firmware_update failed')],
};

/** @param failure text that the firmware prints before the error code if it cannot request the image */
export function downloadFirmware(failure: string): Command {
  return {
    word: 'download',
    help: 'Download and install a firmware image: <id>',
    args: [1, 1],
    run: (host, [id = '']) => {
      const code = id.length > FIRMWARE_ID_MAX ? EINVAL : host.requestFirmware(id);
      return code === 0 ? succeeded() : refused(code, `${failure}: ${code}`);
    },
  };
}

const spoolGroup: Command = {
  word: 'spool',
  help: 'Unsent messages in flash.',
  args: [0, 0],
  run: groupHelp,
  children: [
    {
      word: 'count',
      help: 'Show the number of messages.',
      args: [0, 0],
      run: (host) => onSpool(host, (spool) => ok(`spool messages: ${spool.count}`)),
    },
    {
      word: 'fake',
      help: 'Add made-up messages, for tests: <1-100>',
      args: [1, 1],
      run: (host, [text = '']) => {
        const count = leadingInteger(text);
        if (count < 1 || count > 100) return refused(EINVAL, 'invalid count (expected 1-100)');
        return onSpool(host, (spool) => {
          spool.fake(count);
          return ok(`created ${count} fake message(s)`);
        });
      },
    },
    {
      word: 'clean',
      help: 'Delete them.',
      args: [0, 0],
      run: (host) =>
        onSpool(host, (spool) => {
          spool.clean();
          return succeeded();
        }),
    },
  ],
};

function onSpool(host: ShellHost, act: (spool: ShellSpool) => CommandResult): CommandResult {
  return host.equipment.spool ? act(host.equipment.spool) : failed(ENOTSUP);
}

function metricsLines(m: CloudMetrics, now: UnixSeconds): readonly string[] {
  const time = (name: string, at: DeviceTime) => `${name} last ts: ${ago(at, now)}`;
  return [
    `uplink count: ${m.uplinkCount}`,
    `uplink fragments: ${m.uplinkFragments}`,
    `uplink bytes: ${m.uplinkBytes}`,
    time('uplink', m.uplinkLast),
    `uplink errors: ${m.uplinkErrors}`,
    time('uplink error', m.uplinkErrorLast),
    `downlink count: ${m.downlinkCount}`,
    `downlink fragments: ${m.downlinkFragments}`,
    `downlink bytes: ${m.downlinkBytes}`,
    time('downlink', m.downlinkLast),
    `downlink errors: ${m.downlinkErrors}`,
    time('downlink error', m.downlinkErrorLast),
    `poll count: ${m.pollCount}`,
    time('poll', m.pollLast),
    `uplink data count: ${m.uplinkDataCount}`,
    time('uplink data', m.uplinkDataLast),
    `downlink data count: ${m.downlinkDataCount}`,
    time('downlink data', m.downlinkDataLast),
    `recv shell count: ${m.shellCount}`,
    time('recv shell', m.shellLast),
  ];
}

/** `1786106096 (0:42 ago)`, `12 (not synced)`, `-1 (never)` */
function ago(at: DeviceTime, now: UnixSeconds): string {
  if (at === undefined) return '-1 (never)';
  if (at < SYNCED_SINCE || now < SYNCED_SINCE) return `${at} (not synced)`;
  const passed = Math.max(0, now - at);
  const hours = Math.floor(passed / 3600);
  const minutes = Math.floor((passed % 3600) / 60);
  const seconds = two(passed % 60);
  return `${at} (${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${seconds} ago)`;
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}
