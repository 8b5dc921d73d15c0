/** Reads a quantity of a sensor with the options of its model (models.ts). */
import {
  boolean,
  type Check,
  complain,
  duration,
  list,
  number,
  oneOf,
  optional,
  type RecordOf,
  record,
  refine,
  text,
} from '../input/checks.js';
import type { LocatedNode, Problems } from '../input/document.js';
import { days } from '../kernel/time.js';
import { amount, chooseByTag, expectIndex, expectParameter, range } from './checks.js';
import { type ModelSpec, RHYTHMS, type RhythmName } from './models.js';
import type { ModuleSpec } from './parameters.js';
import type { QuantitySpec } from './profile.js';

/** With more pulses an hour, the total since 1970 would not be an exact number (see HIGHEST_COUNT). */
const MOST_PULSES = 1_000_000_000;

/**
 * One quantity of a sensor: a map with its unit, its range, its model, and the options of the model.
 * @param above the quantities above it in the profile, from which it may be derived
 */
export function expectQuantity(
  name: string,
  above: readonly string[],
  modules: readonly ModuleSpec[] | undefined,
): Check<QuantitySpec> {
  const other = expectIndex(above, 'a quantity above');
  const kinds: { readonly [K in ModelSpec['kind']]: Check<QuantitySpec> } = {
    constant: of({ value: number(), spread: optional(amount, 0), noise: optional(amount, 0) }, (options) => ({
      kind: 'constant',
      ...options,
    })),
    daily: of(
      {
        mean: number(),
        spread: optional(amount, 0),
        swing: optional(number(), 0),
        drift: optional(amount, 0),
        noise: optional(amount, 0),
        season: optional(number(), 0),
        front: optional(number(), 0),
        rain: optional(number(), 0),
        people: optional(number(), 0),
        gusts: optional(amount, 0),
      },
      (options) => ({ kind: 'daily', ...options }),
    ),
    pulses: of({ per_hour: amount, by }, (options, refuse) => {
      if (options.per_hour > MOST_PULSES) refuse(`"per_hour" must be at most ${MOST_PULSES}`);
      return { kind: 'pulses', perHour: options.per_hour, by: options.by };
    }),
    meter: of({ per_hour: amount }, ({ per_hour }) => ({ kind: 'meter', perHour: per_hour })),
    rain: of({ tips: amount }, ({ tips }) => ({ kind: 'rain', tips })),
    tank: of(
      {
        full: number(),
        empty: number(),
        lasts: duration,
        spread: optional(amount, 0),
        noise: optional(amount, 0),
        by,
      },
      (options, refuse) => {
        if (options.lasts <= 0) refuse('a tank must last longer than 0s');
        return { kind: 'tank', ...options };
      },
    ),
    presses: of({ per_day: amount, by }, (options) => ({ kind: 'presses', perDay: options.per_day, by: options.by })),
    direction: of(
      { step: number(), drift: amount, front: optional(number(), 0), noise: optional(amount, 0) },
      (options, refuse) => {
        if (options.step <= 0) refuse('the step of a direction must be more than 0');
        return { kind: 'direction', ...options };
      },
    ),
    calibrated: of({ points: text(), of: list(other, 1) }, (options) => ({ kind: 'calibrated', ...options })),
    switch: of({ per_day: amount, stays: duration, by }, ({ per_day, stays, by: when }, refuse) => {
      if (per_day * stays * PEAKS[when] >= days(1)) {
        const busy = PEAKS[when] === 1 ? '' : ` and by ${PEAKS[when]}, for the busiest hour`;
        refuse(`"stays" must be shorter than a day divided by "per_day"${busy}`);
      }
      return { kind: 'switch', perDay: per_day, stays, by: when };
    }),
    battery: of({ shows: oneOf(['rest', 'load']) }, (options) => ({ kind: 'battery', ...options })),
    scaled: of({ of: other, factor: number() }, (options) => ({ kind: 'scaled', ...options })),
    orientation: of({ of: expectThree(other) }, (options) => ({ kind: 'orientation', ...options })),
  };
  return chooseByTag('a quantity', 'model', kinds);

  function of<S extends Parameters<typeof record>[1]>(
    shape: S,
    make: (options: RecordOf<S>, refuse: (why: string) => void) => ModelSpec,
  ): Check<QuantitySpec> {
    const common = listCommonOptions(modules);
    return refine(record('this quantity', { ...common, ...shape }), (read, node, problems) => {
      const {
        model: _,
        unit,
        range: ends,
        enabled,
        float,
        at_window,
        ...options
      } = read as RecordOf<typeof common> & RecordOf<S>;
      // The cast is safe because the keys that remain after removing the common ones are those of the shape.
      const model = make(options as unknown as RecordOf<S>, (why) => problems.add(node, why));
      const [min, max] = ends;
      checkCentre(model, ends, node, problems);
      return { name, unit, min, max, float, atWindow: at_window, model, ...(enabled && { enabled }) };
    });
  }
}

/** The keys that a quantity has whatever its model is. */
function listCommonOptions(modules: readonly ModuleSpec[] | undefined) {
  return {
    model: text(),
    unit: optional(text(), ''),
    range: optional(range, UNBOUNDED),
    enabled: optional(expectParameter(modules, ['bool'])),
    float: optional(boolean, false),
    at_window: optional(boolean, false),
  };
}

/** Checks that the value around which a model varies is in the range of the quantity. */
function checkCentre(model: ModelSpec, [min, max]: readonly [number, number], node: LocatedNode, problems: Problems) {
  const centre = model.kind === 'daily' ? model.mean : model.kind === 'constant' ? model.value : min;
  if (centre < min || centre > max) problems.add(node, `${centre} is outside of the range from ${min} to ${max}`);
}

/** Ratio of the busiest hour of a week to the mean hour, rounded up. */
const PEAKS: Readonly<Record<RhythmName, number>> = { even: 1, home: 3, office: 5, shop: 5, shifts: 3 };

const by = optional(oneOf(RHYTHMS), 'even' as const);

const UNBOUNDED = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

function expectThree(item: Check<number>): Check<readonly [number, number, number]> {
  return refine(list(item, 3), ([x, y, z, ...more], node, problems) => {
    if (x !== undefined && y !== undefined && z !== undefined && more.length === 0) return [x, y, z];
    return complain(node, problems, 'a list of three quantities');
  });
}
