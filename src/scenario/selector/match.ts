/** Finds the devices that a selector means. */
import { type Random, seededRandom } from '../../kernel/random.js';
import type { Ratio } from '../../kernel/ratio.js';
import { devicesOf, type SelectableDevice, type SelectableGroup } from './device.js';
import { FIELDS, pattern } from './fields.js';
import type { Selector } from './selector.js';

type Predicate = (device: SelectableDevice) => boolean;

/** The devices from which samples are drawn. */
export interface SelectableFleet {
  /** In the order of the fleet. */
  readonly devices: Iterable<SelectableDevice>;
  /** See {@link samplingRandom}. */
  readonly random: Random;
}

/** What samples of a run are drawn with: the same seed and the same selector give the same devices. */
export function samplingRandom(seed: number | string): Random {
  return seededRandom(seed).fork('selection');
}

/** Makes a predicate of a selector. Samples are drawn at once; everything else is decided when the predicate is asked. */
export function matcher(to: Selector, fleet: SelectableFleet): Predicate {
  return compiled(to, ({ share, of }) => {
    const drawn = sample([...fleet.devices].filter(matcher(of, fleet)), share, fleet.random);
    return ({ serial }) => drawn.has(serial);
  });
}

/** Indices of the devices that a selector means, ascending. */
export function select(to: Selector, fleet: SelectableFleet): readonly number[] {
  const matches = matcher(to, fleet);
  const selected: number[] = [];
  let index = 0;
  for (const device of fleet.devices) {
    if (matches(device)) selected.push(index);
    index++;
  }
  return selected;
}

/** Whether a selector may mean devices of a group, whatever the seed. */
export function touches(to: Selector, group: SelectableGroup): boolean {
  const matches = possible(to, true);
  for (const device of devicesOf(group)) if (matches(device)) return true;
  return false;
}

/** @param wide whether a sample counts as all that it is drawn from, or as none of them: behind a "not" */
function possible(to: Selector, wide: boolean): Predicate {
  if (to.kind === 'not') {
    const inner = possible(to.of, !wide);
    return (device) => !inner(device);
  }
  if (to.kind === 'and' || to.kind === 'or') return combined(to, (part) => possible(part, wide));
  return compiled(to, ({ of }) => (wide ? possible(of, wide) : () => false));
}

type Sample = Extract<Selector, { kind: 'sample' }>;

function compiled(to: Selector, sampled: (to: Sample) => Predicate): Predicate {
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
      const fits = pattern(to.word);
      return ({ name, group, serial }) => fits(group) || fits(name) || fits(String(serial));
    }
    case 'field':
      // Because the grammar lets only values pass that the field can be compared with.
      return FIELDS[to.field].compare(to.operator, to.value) as Predicate;
    case 'not': {
      const inner = compiled(to.of, sampled);
      return (device) => !inner(device);
    }
    case 'and':
    case 'or':
      return combined(to, (part) => compiled(part, sampled));
    default:
      return to satisfies never;
  }
}

function combined(
  { kind, parts }: Extract<Selector, { kind: 'and' | 'or' }>,
  compile: (part: Selector) => Predicate,
): Predicate {
  const all = parts.map(compile);
  return kind === 'and' ? (device) => all.every((part) => part(device)) : (device) => all.some((part) => part(device));
}

/**
 * Serial numbers of a sample: one device at least. Each device has a lot of its own, so that another group does not change the
 * chances of the others, and a larger sample contains every smaller one.
 */
function sample(devices: readonly SelectableDevice[], share: Ratio, random: Random): ReadonlySet<number> {
  const count = Math.min(devices.length, Math.max(1, Math.round(devices.length * share)));
  const lots = devices.map(({ serial }, index) => ({ serial, index, lot: random.fork(`sample/${serial}`).next() }));
  lots.sort((a, b) => a.lot - b.lot || a.index - b.index);
  return new Set(lots.slice(0, count).map(({ serial }) => serial));
}
