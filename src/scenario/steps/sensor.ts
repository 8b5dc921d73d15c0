import type { DeviceControls } from '../../device/device-controls.js';
import {
  complain,
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
import { formatDuration, type Millis } from '../../kernel/time.js';
import { type Recording, readRecording } from '../values/csv-series.js';
import { type FoundQuantity, quantitiesOf } from '../values/quantity.js';
import type { StepKind, StepScope } from './step.js';

/** What a sensor shows from now on. */
type SensorCourse =
  | { readonly kind: 'hold'; readonly value: number }
  /** It does not answer. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'free' }
  | { readonly kind: 'ramp'; readonly from: number | null; readonly to: number; readonly over: Millis }
  | { readonly kind: 'replay'; readonly file: string; readonly recording: Recording };

/** By the name of the quantity. */
type SensorOptions = Readonly<Record<string, SensorCourse>>;

const WANTED = 'a number, "free", "silent", { to, over } or { replay: file.csv }';

/** Takes sensors out of their models' hands, and gives them back. */
export const sensor: StepKind<SensorOptions> = {
  about:
    'holds sensors at a value, ramps them, plays a CSV file back or silences them; "free" gives them back to their model',
  example: 'sensor: { hygrometer.temperature: 31.5, thermometer.temperature: { to: 40, over: 30m } }',
  form: () => ({ type: 'object', minProperties: 1, additionalProperties: courseForm() }),
  check: (node, problems, scope) => {
    if (node.kind !== 'map' || node.entries.size === 0) return complain(node, problems, 'a map of sensors to numbers');
    const courses: Record<string, SensorCourse> = {};
    for (const [name, { key, value }] of node.entries) {
      const course = readCourse(name, quantitiesOf(name, key, problems, scope.profiles), value, problems, scope);
      if (course) courses[name] = course;
    }
    return Object.keys(courses).length === node.entries.size ? courses : undefined;
  },
  describe: (courses) =>
    Object.entries(courses)
      .map(([name, course]) => `${name} ${describe(course)}`)
      .join(', '),
  run: async (_world, device, courses) => {
    for (const [name, course] of Object.entries(courses)) steer(device.controls, name, course);
  },
};

function steer(controls: DeviceControls, name: string, course: SensorCourse): void {
  switch (course.kind) {
    case 'hold':
      return controls.hold(name, course.value);
    case 'silent':
      return controls.hold(name, Number.NaN);
    case 'free':
      return controls.free(name);
    case 'ramp': {
      const { from, to, over } = course;
      return controls.ramp(name, from === null ? { to, over } : { from, to, over });
    }
    case 'replay':
      return controls.replay(name, course.recording);
    default:
      return course satisfies never;
  }
}

function describe(course: SensorCourse): string {
  switch (course.kind) {
    case 'hold':
      return `= ${course.value}`;
    case 'silent':
    case 'free':
      return course.kind;
    case 'ramp': {
      const from = course.from === null ? '' : `from ${course.from} `;
      return `${from}to ${course.to} within ${formatDuration(course.over)}`;
    }
    case 'replay':
      return `from ${course.file}, ${course.recording.times.length} rows`;
    default:
      return course satisfies never;
  }
}

const ramp = record('a ramp', { from: optional(number(), null), to: number(), over: duration });
const replay = record('a replay', { replay: text(), column: optional(text()) });

function courseForm(): Form {
  return eitherForm({ type: 'number' }, { enum: ['free', 'silent'] }, formOf(ramp), formOf(replay));
}

function readCourse(
  name: string,
  quantities: readonly FoundQuantity[],
  node: LocatedNode,
  problems: Problems,
  scope: StepScope,
): SensorCourse | undefined {
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
  try {
    const recording = readRecording(scope.readFile(file), { names, unit: quantities[0]?.spec.unit ?? '' }, problems);
    return recording && { kind: 'replay', file, recording };
  } catch (error) {
    problems.add(node.entries.get('replay')?.value ?? node, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
