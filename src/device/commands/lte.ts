/** `lte`: the modem (shell S-23, S-24). */
import type { Millis } from '../../kernel/time.js';
import { ENODATA, ENOEXEC } from '../../protocol/errno.js';
import type { LteEvaluation } from '../modem/signal.js';
import type { Command } from '../shell/command.js';
import type { CloudMetrics, ModemMetrics, ShellHost, ShellModem } from '../shell/host.js';
import { failed, groupHelp, refused, succeeded } from './results.js';
import { inTestMode, modemTest } from './test-mode.js';

/** The differences between `lte` of CHESTER and `lte` of hio devices. */
interface LteDifferences {
  /** Commands that the help lists before the common ones. */
  readonly before?: readonly Command[];
  /** Lines of `lte metrics`. */
  readonly metrics: (modem: ModemMetrics, traffic: CloudMetrics) => readonly string[];
  /** Commands of `lte test`. */
  readonly test: Parameters<typeof modemTest>[1];
}

/** Commands that show identities of the modem and its SIM card. */
const identities: readonly Command[] = [
  known('imei', 'Show the IMEI of the modem.', ({ hardware }) => hardware.subscriber.imei),
  known('imsi', 'Show the IMSI of the SIM card.', ({ hardware }) => hardware.subscriber.imsi),
  known('iccid', 'Show the ICCID of the SIM card.', ({ hardware }) => hardware.subscriber.iccid),
  known('fw-version', 'Show the version of the modem firmware.', ({ profile }) => profile.identity.modemFirmware),
];

const reconnect: Command = {
  word: 'reconnect',
  help: 'Drop the connection and attach again.',
  args: [0, 0],
  run: (host) => {
    if (inTestMode(host, 'lte')) return refused(ENOEXEC, 'not supported in test mode');
    host.hardware.modem.reconnect();
    return succeeded();
  },
};

export const lte: Command = lteGroup({
  metrics: metricsLines,
  test: ['uart', 'reset', 'wakeup', 'cmd', 'prepare', 'bypass'],
});

/** The command group `lte` of a firmware family. */
export function lteGroup({ before = [], metrics, test }: LteDifferences): Command {
  return {
    word: 'lte',
    help: 'The LTE modem.',
    run: groupHelp,
    children: [
      ...before,
      ...identities,
      {
        word: 'state',
        help: 'Show registration, signal and what the modem is doing.',
        args: [0, 0],
        run: (host) => succeeded(...stateLines(host.hardware.modem)),
      },
      {
        word: 'metrics',
        help: 'Show the counters of the modem.',
        args: [0, 0],
        run: (host) => succeeded(...metrics(host.hardware.modem.counters, host.cloud.counters)),
      },
      reconnect,
      modemTest('lte', test),
    ],
  };
}

function known(word: string, help: string, of: (host: ShellHost) => string | undefined): Command {
  return {
    word,
    help,
    args: [0, 0],
    run: (host) => {
      const value = host.hardware.modem.started ? of(host) : undefined;
      return value === undefined ? failed(ENODATA) : succeeded(`${word}: ${value}`);
    },
  };
}

function stateLines(modem: ShellModem): readonly string[] {
  const { registration } = modem;
  const evaluation = modem.evaluation();
  return [
    `attached: ${modem.registered ? 'yes' : 'no'}`,
    `cereg: ${registration?.status ?? 'not available'}`,
    `mode: ${registration?.mode ?? 'not available'}`,
    ...(evaluation ? evaluationLines(evaluation) : []),
    `fsm-state: ${modem.state}`,
    ...waitLines(modem),
  ];
}

function evaluationLines(evaluation: LteEvaluation): readonly string[] {
  const { eest, ecl, rsrp, rsrq, snr, plmn, cid, band, earfcn } = evaluation;
  return [
    `eest: ${eest}`,
    `ecl: ${ecl}`,
    `rsrp: ${rsrp}`,
    `rsrq: ${rsrq}`,
    `snr: ${snr}`,
    `plmn: ${plmn}`,
    `cid: ${cid}`,
    `band: ${band}`,
    `earfcn: ${earfcn}`,
  ];
}

function waitLines({ state, attempt, wait }: ShellModem): readonly string[] {
  if (!wait || (state !== 'attach' && state !== 'retry_delay')) return [];
  const name = state === 'attach' ? 'attach' : 'retry-delay';
  return [
    `attach-attempt: ${attempt}`,
    `${name}-timeout: ${minutesSeconds(wait.timeout)}`,
    `${name}-remaining: ${minutesSeconds(wait.remaining)}`,
  ];
}

function metricsLines(modem: ModemMetrics, traffic: CloudMetrics): readonly string[] {
  return [
    `attach count: ${modem.attaches}`,
    `attach fail count: ${modem.failed}`,
    `attach duration ms: ${Math.trunc(modem.duration)}`,
    `attach last ts: ${modem.lastAt ?? 0}`,
    `attach last duration ms: ${Math.trunc(modem.lastDuration)}`,
    `uplink messages: ${traffic.uplinkFragments}`,
    `uplink bytes: ${traffic.uplinkBytes}`,
    `uplink errors: ${traffic.uplinkErrors}`,
    `uplink last ts: ${traffic.uplinkLast ?? 0}`,
    `downlink messages: ${traffic.downlinkFragments}`,
    `downlink bytes: ${traffic.downlinkBytes}`,
    `downlink errors: ${traffic.downlinkErrors}`,
    `downlink last ts: ${traffic.downlinkLast ?? 0}`,
    `cscon 1 duration ms: ${Math.trunc(modem.connected)}`,
    `cscon 1 last duration ms: ${Math.trunc(modem.lastConnected)}`,
  ];
}

/** `5:00` */
function minutesSeconds(duration: Millis): string {
  const seconds = Math.floor(duration / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
