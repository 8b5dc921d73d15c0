/** Finds the devices that match a selector. */
import { type Random, seededRandom } from '../../kernel/random.js';
import type { Ratio } from '../../kernel/ratio.js';
import { listDevices, type SelectableDevice, type SelectableGroup } from './device.js';
import { FIELDS, makePattern } from './fields.js';
import type { Selector } from './selector.js';

/** Whether a device matches; undefined if it cannot be compared, such as the firmware "nightly" with a version. */
type Predicate = (device: SelectableDevice) => boolean | undefined;

export interface SelectableFleet {
  /** In the order of the fleet. */
  readonly devices: Iterable<SelectableDevice>;
  /** For samples: see {@link makeSamplingRandom}. */
  readonly random: Random;
  /** A test for words in place of that of scenarios, or undefined. Default: none */
  readonly word?: (word: string) => Predicate | undefined;
}

/** The random source for samples of a run: the same seed and selector give the same devices. */
export function makeSamplingRandom(seed: number | string): Random {
  return seededRandom(seed).fork('selection');
}

/** Makes a predicate from a selector. Samples are drawn immediately; everything else is evaluated at each call. */
export function makeMatcher(to: Selector, fleet: SelectableFleet): Predicate {
  const drawFrom = ({ share, of }: Sample): Predicate => {
    const drawn = sample([...fleet.devices].filter(makeMatcher(of, fleet)), share, fleet.random);
    return ({ serial }) => drawn.has(serial);
  };
  return compileSelector(to, drawFrom, fleet.word);
}

/** Indices of the devices that match a selector, ascending. */
export function select(to: Selector, fleet: SelectableFleet): readonly number[] {
  const matches = makeMatcher(to, fleet);
  const selected: number[] = [];
  let index = 0;
  for (const device of fleet.devices) {
    if (matches(device)) selected.push(index);
    index++;
  }
  return selected;
}

/** Whether there is a seed for which a selector matches a device of a group. */
export function canTouch(to: Selector, group: SelectableGroup): boolean {
  const matches = findPossible(to, true);
  for (const device of listDevices(group)) if (matches(device)) return true;
  return false;
}

/**
 * A predicate for the devices that a selector matches for some seed.
 * @param wide true: a sample matches all devices from which it is drawn; false, inside a "not": a sample matches no device
 */
function findPossible(to: Selector, wide: boolean): Predicate {
  if (to.kind === 'not') {
    const inner = findPossible(to.of, !wide);
    return (device) => negate(inner(device));
  }
  if (to.kind === 'and' || to.kind === 'or') return combineTests(to, (part) => findPossible(part, wide));
  return compileSelector(to, ({ of }) => (wide ? findPossible(of, wide) : () => false));
}

type Sample = Extract<Selector, { kind: 'sample' }>;

function compileSelector(
  to: Selector,
  sampled: (to: Sample) => Predicate,
  ownTest?: SelectableFleet['word'],
): Predicate {
  switch (to.kind) {
    case 'all':
      return () => true;
    case 'group':
      return ({ group }) => group === to.group;
    case 'devices':
      return ({ group, number }) => group === to.group && number >= to.first && number <= to.last;
    case 'region':
      return ({ region }) => region === to.region;
    case 'tag':
      return ({ tags }) => tags.includes(to.tag);
    case 'sample':
      return sampled(to);
    case 'word': {
      const fits = makePattern(to.word);
      return ownTest?.(to.word) ?? (({ name, group, serial }) => fits(group) || fits(name) || fits(String(serial)));
    }
    case 'field':
      // The cast is safe because the grammar accepts only values that the field can be compared with.
      return FIELDS[to.field].compare(to.operator, to.value) as Predicate;
    case 'not': {
      const inner = compileSelector(to.of, sampled, ownTest);
      return (device) => negate(inner(device));
    }
    case 'and':
    case 'or':
      return combineTests(to, (part) => compileSelector(part, sampled, ownTest));
    default:
      return to satisfies never;
  }
}

function combineTests(
  { kind, parts }: Extract<Selector, { kind: 'and' | 'or' }>,
  compile: (part: Selector) => Predicate,
): Predicate {
  const all = parts.map(compile);
  // One part decides: a false one of an "and", a true one of an "or".
  const decisive = kind === 'or';
  return (device) => {
    let result: boolean | undefined = !decisive;
    for (const part of all) {
      const matches = part(device);
      if (matches === decisive) return decisive;
      if (matches === undefined) result = undefined;
    }
    return result;
  };
}

function negate(matches: boolean | undefined): boolean | undefined {
  return matches === undefined ? undefined : !matches;
}

/**
 * Serial numbers of a sample, which has at least one device if `devices` is not empty. Each device has a random number that
 * depends only on the seed and its serial number; the devices with the lowest numbers are selected. So adding a group does not
 * change the numbers of other devices, and a larger sample contains every smaller one.
 */
function sample(devices: readonly SelectableDevice[], share: Ratio, random: Random): ReadonlySet<number> {
  const count = Math.min(devices.length, Math.max(1, Math.round(devices.length * share)));
  const lots = devices.map(({ serial }, index) => ({ serial, index, lot: random.fork(`sample/${serial}`).next() }));
  lots.sort((a, b) => a.lot - b.lot || a.index - b.index);
  return new Set(lots.slice(0, count).map(({ serial }) => serial));
}
