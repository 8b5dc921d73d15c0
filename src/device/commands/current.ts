/** `current`: the inputs of CHESTER Current and their calibration (catalog.json, current). */

import { EINVAL, EIO, ENODEV } from '../../protocol/errno.js';
import type { Command, CommandResult } from '../shell/command.js';
import type { InputCalibration, ShellInputs } from '../shell/equipment.js';
import type { ShellHost } from '../shell/host.js';
import { failed, groupHelp, ok, refused } from './results.js';

const CHANNELS = [1, 2, 3, 4];

export const current: Command = {
  word: 'current',
  help: 'The inputs.',
  run: groupHelp,
  children: CHANNELS.map((n) => ({
    word: `channel-${n}`,
    help: `Input ${n}.`,
    run: groupHelp,
    children: [
      {
        word: 'calib',
        help: 'Its calibration.',
        run: groupHelp,
        children: [
          {
            word: 'mode',
            help: 'Show or set the value that is calibrated: [avg|rms]',
            args: [0, 1],
            run: (host: ShellHost, [mode]: readonly string[]) => onInputs(host, (inputs) => setMode(inputs, n, mode)),
          },
          {
            word: 'reset',
            help: 'Forget the calibration.',
            args: [0, 0],
            run: (host: ShellHost) =>
              onInputs(host, (inputs) => {
                const stored = inputs.calibrate(n, { x0: 0, y0: 0, x1: 0, y1: 0 });
                return stored ? ok(`Channel ${n} calibration reset`) : failed(EIO);
              }),
          },
          point(n, 0),
          point(n, 1),
          {
            word: 'show',
            help: 'Show the calibration.',
            args: [0, 0],
            run: (host: ShellHost) =>
              onInputs(host, (inputs) => {
                const { x0, y0, x1, y1, mode } = inputs.calibration(n);
                const points = `x0=${x0.toFixed(2)} y0=${y0.toFixed(2)}, x1=${x1.toFixed(2)} y1=${y1.toFixed(2)}`;
                return ok(`Channel ${n} calibration: ${points}, mode=${WORD[mode]}`);
              }),
          },
        ],
      },
      {
        word: 'read',
        help: 'Measure now.',
        args: [0, 0],
        run: (host: ShellHost) => onInputs(host, (inputs) => read(inputs, n)),
      },
    ],
  })),
};

/** Names of the modes in this command group: "avg" is the mode that `app config` calls "mean". */
const WORD = { mean: 'avg', rms: 'rms' } as const;

function read(inputs: ShellInputs, n: number): CommandResult {
  const raw = inputs.read(n);
  if (raw === undefined) return refused(EIO, `Read failed: ${EIO}`);
  const { mode, ...points } = inputs.calibration(n);
  const calibrated = convert(raw[mode], points);
  const result = calibrated === undefined ? 'no calibration' : `calibrated: ${calibrated.toFixed(2)}`;
  return ok(`Channel ${n}: ${rawText(raw)} mV (mode=${WORD[mode]}, ${result})`);
}

/** Measures, and stores the result as the raw value of a calibration point. The point is saved and in effect at once. */
function point(n: number, which: 0 | 1): Command {
  return {
    word: `set-${which}`,
    help: `Measure, and store the ${which === 0 ? 'first' : 'second'} calibration point: <real value>`,
    args: [1, 1],
    run: (host, [text = '']) =>
      onInputs(host, (inputs) => {
        const raw = inputs.read(n);
        if (raw === undefined) return refused(EIO, `Read failed: ${EIO}`);
        const { mode } = inputs.calibration(n);
        // As with C's atof, a text that is not a number is 0.
        const real = Number(/^\s*[+-]?(?:\d+\.?\d*|\.\d+)/.exec(text)?.[0] ?? 0);
        const changes = which === 0 ? { x0: raw[mode], y0: real } : { x1: raw[mode], y1: real };
        if (!inputs.calibrate(n, changes)) return failed(EIO);
        const stored = `(x${which}=${raw[mode].toFixed(2)}, y${which}=${real.toFixed(2)})`;
        return ok(`Channel ${n}: ${rawText(raw)} (using ${WORD[mode]}), point ${which} set ${stored}`);
      }),
  };
}

function setMode(inputs: ShellInputs, n: number, word: string | undefined): CommandResult {
  if (word === undefined) return ok(`Channel ${n} mode: ${WORD[inputs.calibration(n).mode]}`);
  if (word !== 'avg' && word !== 'rms') return refused(EINVAL, `Unknown mode: ${word} (use avg or rms)`);
  if (!inputs.calibrate(n, { mode: word === 'avg' ? 'mean' : 'rms' })) return failed(EIO);
  return ok(`Channel ${n} mode set to: ${word}`);
}

/** The calibrated value of a raw value; undefined if the two points have the same raw value. */
function convert(raw: number, { x0, y0, x1, y1 }: Omit<InputCalibration, 'mode'>): number | undefined {
  return x0 === x1 ? undefined : y0 + ((raw - x0) * (y1 - y0)) / (x1 - x0);
}

function rawText({ mean, rms }: { readonly mean: number; readonly rms: number }): string {
  return `avg=${mean.toFixed(1)} rms=${rms.toFixed(1)}`;
}

function onInputs(host: ShellHost, act: (inputs: ShellInputs) => CommandResult): CommandResult {
  return host.equipment.inputs ? act(host.equipment.inputs) : failed(ENODEV);
}
