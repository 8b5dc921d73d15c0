/** `lte`: the modem (firmware shell, 5.2). Its test mode reaches into the modem itself and is not emulated. */
import type { Millis } from '../../kernel/time.js';
import type { Command, CommandResult } from '../shell/command.js';
import { ENODATA, ENOEXEC, ENOTSUP } from '../shell/errno.js';
import type { LteEvaluation, LteMetrics, LteState, ShellHost } from '../shell/host.js';
import { failed, groupHelp, refused, succeeded } from './results.js';

export const lte: Command = {
  word: 'lte',
  help: 'The LTE modem.',
  run: groupHelp,
  children: [
    known('imei', 'Show the IMEI of the modem.', (state) => state.imei),
    known('imsi', 'Show the IMSI of the SIM card.', (state) => state.imsi),
    known('iccid', 'Show the ICCID of the SIM card.', (state) => state.iccid),
    known('fw-version', 'Show the version of the modem firmware.', (state) => state.modemFirmware),
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
      run: (host) => succeeded(...metricsLines(host.lte().metrics)),
    },
    {
      word: 'reconnect',
      help: 'Drop the connection and attach again.',
      args: [0, 0],
      run: (host) => {
        if (inTestMode(host)) return refused(ENOEXEC, 'not supported in test mode');
        host.requestReconnect();
        return succeeded();
      },
    },
    {
      word: 'test',
      help: 'Direct access to the modem, in test mode.',
      args: [0, 0],
      run: groupHelp,
      children: [
        testCommand('uart', 'Switch the serial line to the modem: enable|disable', [1, 1]),
        testCommand('reset', 'Reset the modem.', [0, 0]),
        testCommand('wakeup', 'Wake the modem up.', [0, 0]),
        testCommand('cmd', 'Send a command to the modem: <command>', [1, 1]),
        testCommand('prepare', 'Set the modem up.', [0, 0]),
        testCommand('bypass', 'Connect the shell to the modem.', [0, 1]),
      ],
    },
  ],
};

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

function testCommand(word: string, help: string, args: readonly [number, number]): Command {
  const run = (host: ShellHost): CommandResult =>
    inTestMode(host) ? failed(ENOTSUP) : refused(ENOEXEC, 'test mode is not activated');
  return { word, help, args, run };
}

/** Test mode begins with the boot after `lte config test true`. */
function inTestMode({ config }: ShellHost): boolean {
  return config.layout.find('lte', 'test') !== undefined && config.flag('lte', 'test');
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
    `attach duration ms: ${m.attachDuration}`,
    `attach last ts: ${m.attachLast ?? 0}`,
    `attach last duration ms: ${m.attachLastDuration}`,
    `uplink messages: ${m.uplinkCount}`,
    `uplink bytes: ${m.uplinkBytes}`,
    `uplink errors: ${m.uplinkErrors}`,
    `uplink last ts: ${m.uplinkLast ?? 0}`,
    `downlink messages: ${m.downlinkCount}`,
    `downlink bytes: ${m.downlinkBytes}`,
    `downlink errors: ${m.downlinkErrors}`,
    `downlink last ts: ${m.downlinkLast ?? 0}`,
    `cscon 1 duration ms: ${m.connectedDuration}`,
    `cscon 1 last duration ms: ${m.connectedLastDuration}`,
  ];
}

/** `5:00` */
function minutesSeconds(duration: Millis): string {
  const seconds = Math.floor(duration / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
