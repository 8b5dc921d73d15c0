/**
 * The `network` of a scenario. Its own keys apply to all devices for the whole run. A fault in its list `faults` can have a
 * time, a selector and a direction. Faults that are active at the same time all take effect.
 *
 *     network:
 *       latency: 150ms..900ms
 *       loss: 1%
 *       power-saving: off
 *       radio-release: 10s..12s
 *       faults:
 *         - { outage: both, from: 2h, until: 2h20m, to: clime }
 *         - { loss: 1/10, from: 3h, until: 4h }
 */

import type { Span } from '../../device/modem/timing.js';
import {
  complain,
  describeKey,
  durationRange,
  type Form,
  formOf,
  list,
  oneOf,
  readVariant,
  rejectUnknownKeys,
  valueAt,
  variantForm,
} from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { orList } from '../../input/problems.js';
import type { Millis } from '../../kernel/time.js';
import { checkFault, FAULTS, faultForms, NETWORK_FAULTS } from '../faults/index.js';
import type { ScenarioFault } from '../model/scenario.js';
import { TO } from '../selector/check.js';
import type { Selector } from '../selector/selector.js';
import { checkWindow, WINDOW } from './window.js';

interface NetworkShape {
  readonly selector: (to: string, node: LocatedNode) => Selector | undefined;
  /** Duration of the scenario. */
  readonly end: Millis;
}

/** This key is not a fault of the link: parse/scenario.ts turns `power-saving: off` into a step. */
const POWER_SAVING = 'power-saving';
const SAVING = describeKey('Whether the network grants power saving mode. Default: on.', 'off', oneOf(['on', 'off']));
/** Faults that can be keys of `network`, in the order in which a plan lists them. */
const ALWAYS_KINDS = NETWORK_FAULTS.filter((name) => 'isNetworkKey' in FAULTS[name]);
/** A property of the network's cells: how long a radio connection stays open without traffic. */
const RADIO_RELEASE = 'radio-release';
const RELEASE = describeKey(
  'How long an idle radio connection stays open. Default: 10s..12s.',
  '5s..20s',
  durationRange('the time until an idle radio connection is released, such as "11s" or "5s..20s"'),
);
const KEYS = [...ALWAYS_KINDS, POWER_SAVING, RADIO_RELEASE, 'faults'];

/** JSON Schema of `network`, for editors. */
export function networkForm(): Form {
  return {
    type: 'object',
    properties: {
      ...faultForms(ALWAYS_KINDS),
      [POWER_SAVING]: formOf(SAVING),
      [RADIO_RELEASE]: formOf(RELEASE),
      faults: {
        description: 'Faults of the network with a time, a selector and a direction.',
        examples: [[{ loss: '10%', from: '3h', until: '4h' }]],
        type: 'array',
        items: variantForm(COMMON, faultForms(NETWORK_FAULTS)),
      },
    },
    additionalProperties: false,
  };
}

/** Whether the network grants power saving mode: true unless `power-saving` is "off". */
export function savesPower(node: LocatedNode | undefined, problems: Problems): boolean {
  const value = node?.kind === 'map' ? node.entries.get(POWER_SAVING)?.value : undefined;
  return value === undefined || SAVING(value, problems) !== 'off';
}

/** Value of `radio-release`; undefined for the default. */
export function radioRelease(node: LocatedNode | undefined, problems: Problems): Span | undefined {
  const value = node?.kind === 'map' ? node.entries.get(RADIO_RELEASE)?.value : undefined;
  return value && RELEASE(value, problems);
}

export function network(
  node: LocatedNode,
  problems: Problems,
  shape: NetworkShape,
): readonly ScenarioFault[] | undefined {
  if (node.kind !== 'map') return complain(node, problems, `a map with ${orList(KEYS)}`);
  const before = problems.list.length;
  rejectUnknownKeys(node, KEYS, 'network', problems);
  const always = ALWAYS_KINDS.flatMap((kind) => {
    const value = node.entries.get(kind)?.value;
    const read = value && checkFault(kind, value, problems);
    return read ? [{ ...read, windows: [{ from: 0, until: null }], to: { kind: 'all' } as const }] : [];
  });
  const listed = node.entries.get('faults')?.value;
  const timed = listed && list((item, found) => timedFault(item, found, shape))(listed, problems);
  return problems.list.length === before ? [...always, ...(timed ?? [])] : undefined;
}

const COMMON = { ...WINDOW, ...TO };

function timedFault(node: LocatedNode, problems: Problems, { selector, end }: NetworkShape): ScenarioFault | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a fault: a map with a kind of fault, "from" and "until"');
  const { common, kind, options } = readVariant('a fault', COMMON, NETWORK_FAULTS, node, problems);
  const read = kind && checkFault(kind, options, problems);
  if (read === undefined || common === undefined) return undefined;
  const { from, until } = common;
  checkWindow({ from, until }, node, problems, end);
  const to = selector(common.to, valueAt(node, 'to'));
  return to && { ...read, windows: [{ from, until }], to };
}
