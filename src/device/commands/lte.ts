/** `lte`: the modem (firmware shell, 5.2). */
import type { Millis } from '../../kernel/time.js';
import { ENODATA, ENOEXEC } from '../../protocol/errno.js';
import type { Command } from '../shell/command.js';
import type { LteEvaluation, LteMetrics, LteState } from '../shell/host.js';
import { failed, groupHelp, refused, succeeded } from './results.js';
import { inTestMode, modemTest } from './test-mode.js';

/** The differences between `lte` of CHESTER and `lte` of hio devices. */
interface LteDifferences {
  /** Commands that the help lists before the common ones. */
  readonly before?: readonly Command[];
  /** Lines of `lte metrics`. */
  readonly metrics: (metrics: LteMetrics) => readonly string[];
  /** Commands of `lte test`. */
  readonly test: Parameters<typeof modemTest>[1];
}

/** Commands that show identities of the modem and its SIM card. */
const identities: readonly Command[] = [
  known('imei', 'Show the IMEI of the modem.', (state) => state.imei),
  known('imsi', 'Show the IMSI of the SIM card.', (state) => state.imsi),
  known('iccid', 'Show the ICCID of the SIM card.', (state) => state.iccid),
  known('fw-version', 'Show the version of the modem firmware.', (state) => state.modemFirmware),
];

const reconnect: Command = {
  word: 'reconnect',
  help: 'Drop the connection and attach again.',
  args: [0, 0],
  run: (host) => {
    if (inTestMode(host, 'lte')) return refused(ENOEXEC, 'not supported in test mode');
    host.requestReconnect();
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
        run: (host) => succeeded(...stateLines(host.lte())),
      },
      {
        word: 'metrics',
        help: 'Show the counters of the modem.',
        args: [0, 0],
        run: (host) => succeeded(...metrics(host.lte().metrics)),
      },
      reconnect,
      modemTest('lte', test),
    ],
  };
}

function known(word: string, help: string, of: (state: LteState) => string | undefined): Command {
  return {
    word,
    help,
    args: [0, 0],
    run: (host) => {
      const value = of(host.lte());
      return value === undefined ? failed(ENODATA) : succeeded(`${word}: ${value}`);
    },
  };
}

function stateLines(state: LteState): readonly string[] {
  return [
    `attached: ${state.attached ? 'yes' : 'no'}`,
    `cereg: ${state.registration?.status ?? 'not available'}`,
    `mode: ${state.registration?.mode ?? 'not available'}`,
    ...(state.evaluation ? evaluationLines(state.evaluation) : []),
    `fsm-state: ${state.fsm}`,
    ...waitLines(state),
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

function waitLines({ fsm, attachAttempt, wait }: LteState): readonly string[] {
  if (!wait || (fsm !== 'attach' && fsm !== 'retry_delay')) return [];
  const name = fsm === 'attach' ? 'attach' : 'retry-delay';
  return [
    `attach-attempt: ${attachAttempt}`,
    `${name}-timeout: ${minutesSeconds(wait.timeout)}`,
    `${name}-remaining: ${minutesSeconds(wait.remaining)}`,
  ];
}

function metricsLines(m: LteMetrics): readonly string[] {
  return [
    `attach count: ${m.attachCount}`,
    `attach fail count: ${m.attachFailCount}`,
    `attach duration ms: ${Math.trunc(m.attachDuration)}`,
    `attach last ts: ${m.attachLast ?? 0}`,
    `attach last duration ms: ${Math.trunc(m.attachLastDuration)}`,
    `uplink messages: ${m.uplinkCount}`,
    `uplink bytes: ${m.uplinkBytes}`,
    `uplink errors: ${m.uplinkErrors}`,
    `uplink last ts: ${m.uplinkLast ?? 0}`,
    `downlink messages: ${m.downlinkCount}`,
    `downlink bytes: ${m.downlinkBytes}`,
    `downlink errors: ${m.downlinkErrors}`,
    `downlink last ts: ${m.downlinkLast ?? 0}`,
    `cscon 1 duration ms: ${Math.trunc(m.connectedDuration)}`,
    `cscon 1 last duration ms: ${Math.trunc(m.connectedLastDuration)}`,
  ];
}

/** `5:00` */
function minutesSeconds(duration: Millis): string {
  const seconds = Math.floor(duration / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
