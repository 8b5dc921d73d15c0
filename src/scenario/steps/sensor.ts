import type { DeviceControls } from '../../device/device-controls.js';
import {
  complain,
  describeKey,
  duration,
  eitherForm,
  type Form,
  formOf,
  number,
  optional,
  record,
  text,
} from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { messageOf } from '../../kernel/errors.js';
import { countOf } from '../../kernel/quantity.js';
import { formatDuration, type Millis } from '../../kernel/time.js';
import { describeBadCount } from '../../profile/quantities.js';
import { type Recording, readRecording } from '../values/csv-series.js';
import { type FoundQuantity, quantitiesOf } from '../values/quantity.js';
import { noEffect, type StepKind, type StepScope, stays } from './step.js';

/** The course of a sensor's values after the step. */
type SensorWaveform =
  | { readonly kind: 'hold'; readonly value: number }
  /** The sensor does not answer. */
  | { readonly kind: 'silent' }
  /** The values of the sensor model apply again. */
  | { readonly kind: 'free' }
  | { readonly kind: 'ramp'; readonly from: number | null; readonly to: number; readonly over: Millis }
  | { readonly kind: 'replay'; readonly file: string; readonly recording: Recording };

/** Waveforms by the names of the quantities. */
type SensorOptions = Readonly<Record<string, SensorWaveform>>;

const WANTED = 'a number, "free", "silent", { to, over } or { replay: file.csv }';

/** Overrides the models of sensors, or ends the override. */
export const sensor: StepKind<SensorOptions> = {
  about:
    'holds sensors at a value, ramps them, replays a CSV file or silences them; "free" returns them to their models',
  example: 'sensor: { hygrometer.temperature: 31.5, thermometer.temperature: { to: 40, over: 30m } }',
  form: () => ({ type: 'object', minProperties: 1, additionalProperties: waveformForm() }),
  check: (node, problems, scope) => {
    if (node.kind !== 'map' || node.entries.size === 0) return complain(node, problems, 'a map of sensors to numbers');
    const waveforms: Record<string, SensorWaveform> = {};
    for (const [name, { key, value }] of node.entries) {
      const quantities = quantitiesOf(name, key, problems, scope.profiles);
      const waveform = readWaveform(name, quantities, value, problems, scope);
      const isCounter = quantities.some(({ counter }) => counter);
      const why = waveform && isCounter ? describeBadCount(name, listValues(waveform)) : undefined;
      if (why !== undefined) problems.add(value, why);
      else if (waveform) waveforms[name] = waveform;
    }
    return Object.keys(waveforms).length === node.entries.size ? waveforms : undefined;
  },
  describe: (waveforms) =>
    Object.entries(waveforms)
      .map(([name, waveform]) => `${name} ${describe(waveform)}`)
      .join(', '),
  actsOn: 'device',
  effect: noEffect,
  beforeStart: stays,
  run: async (_world, device, waveforms) => {
    for (const [name, waveform] of Object.entries(waveforms)) applyWaveform(device.controls, name, waveform);
  },
};

function applyWaveform(
  controls: Pick<DeviceControls, 'hold' | 'ramp' | 'replay' | 'free'>,
  name: string,
  waveform: SensorWaveform,
): void {
  switch (waveform.kind) {
    case 'hold':
      return controls.hold(name, waveform.value);
    case 'silent':
      return controls.hold(name, Number.NaN);
    case 'free':
      return controls.free(name);
    case 'ramp': {
      const { from, to, over } = waveform;
      return controls.ramp(name, from === null ? { to, over } : { from, to, over });
    }
    case 'replay':
      return controls.replay(name, waveform.recording);
    default:
      return waveform satisfies never;
  }
}

function describe(waveform: SensorWaveform): string {
  switch (waveform.kind) {
    case 'hold':
      return `= ${waveform.value}`;
    case 'silent':
    case 'free':
      return waveform.kind;
    case 'ramp': {
      const from = waveform.from === null ? '' : `from ${waveform.from} `;
      return `${from}to ${waveform.to} within ${formatDuration(waveform.over)}`;
    }
    case 'replay':
      return `from ${waveform.file}, ${countOf(waveform.recording.times.length, 'row')}`;
    default:
      return waveform satisfies never;
  }
}

/** The values that a waveform names; NaN where the sensor does not answer. */
function listValues(waveform: SensorWaveform): readonly number[] {
  if (waveform.kind === 'hold') return [waveform.value];
  if (waveform.kind === 'ramp') return [waveform.from ?? waveform.to, waveform.to];
  return waveform.kind === 'replay' ? waveform.recording.values : [];
}

const ramp = record('a ramp', {
  from: optional(describeKey('Reading at the beginning. Default: the present one.', 4, number()), null),
  to: describeKey('Reading at the end; it stays there.', 12, number()),
  over: describeKey('How long the ramp takes.', '30m', duration),
});
const replay = record('a replay', {
  replay: describeKey('CSV file with times and readings, relative to the scenario.', 'cellar.csv', text()),
  column: optional(describeKey('Column of the readings, if there are several.', 'temperature', text())),
});

function waveformForm(): Form {
  return eitherForm({ type: 'number' }, { enum: ['free', 'silent'] }, formOf(ramp), formOf(replay));
}

function readWaveform(
  name: string,
  quantities: readonly FoundQuantity[],
  node: LocatedNode,
  problems: Problems,
  scope: StepScope,
): SensorWaveform | undefined {
  if (node.kind === 'scalar') {
    if (typeof node.value === 'number' && Number.isFinite(node.value)) return { kind: 'hold', value: node.value };
    if (node.value === 'free' || node.value === 'silent') return { kind: node.value };
  }
  if (node.kind !== 'map') return complain(node, problems, WANTED);
  if (!node.entries.has('replay')) {
    const read = ramp(node, problems);
    return read && { kind: 'ramp', ...read };
  }
  const read = replay(node, problems);
  if (read === undefined) return undefined;
  const { replay: file, column } = read;
  const names = column === undefined ? [name, name.slice(name.lastIndexOf('.') + 1)] : [column];
  const [found] = quantities;
  // A count below 0 can only be a mark of a logger.
  const quantity = found?.counter ? { ...found.spec, min: 0 } : found?.spec;
  try {
    const [named, wish] = [scope.readFile(file), { names, quantity }];
    const recording = problems.readOnce(named, wish, () => readRecording(named, wish, problems));
    return recording && { kind: 'replay', file, recording };
  } catch (error) {
    problems.add(node.entries.get('replay')?.value ?? node, messageOf(error));
    return undefined;
  }
}
