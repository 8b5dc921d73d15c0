/**
 * Faults of the embedded cloud as plain data. The files in runner/faults/ execute them. To add a fault, describe it here and
 * implement it there.
 */
import {
  type Check,
  complain,
  duration,
  formed,
  integer,
  optional,
  ratio,
  record,
  refine,
  shortOrMap,
  valueAt,
} from '../../input/checks.js';
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import { formatDuration, type Millis, seconds } from '../../kernel/time.js';
import { noOptions } from '../values/no-options.js';

export type ServiceFault =
  | { readonly kind: 'api-errors'; readonly status: number; readonly share: Ratio }
  | { readonly kind: 'api-delay'; readonly by: Millis }
  /** `only: 'write'`: writing fails and reading works; null: both fail. */
  | { readonly kind: 'store-unavailable'; readonly only: 'write' | null }
  | { readonly kind: 'service-down' }
  | {
      readonly kind: 'service-restart';
      /** How long the service is down; null if it is down until the fault ends. */
      readonly away: Millis | null;
    };

interface ServiceFaultKind {
  readonly about: string;
  readonly example: string;
  readonly check: Check<ServiceFault>;
}

const ERRORS = record('api-errors', { status: optional(integer(400, 599), 503), share: ratio });

const errors = shortOrMap<ServiceFault>(
  refine(ratio, (share) => ({ kind: 'api-errors', status: 503, share })),
  refine(ERRORS, (options) => ({ kind: 'api-errors', ...options })),
);

const storeUse: Check<ServiceFault> = formed(
  () => ({ enum: [null, true, 'writes'] }),
  (node, problems) => {
    if (node.kind === 'scalar' && node.value === 'writes') return { kind: 'store-unavailable', only: 'write' };
    if (node.kind === 'scalar' && (node.value === null || node.value === true)) {
      return { kind: 'store-unavailable', only: null };
    }
    return complain(node, problems, 'left empty, or "writes"');
  },
);

/** Shortest time for which a restart may keep the service down; no real service restarts faster. */
const SHORTEST_ABSENCE = seconds(1);
const RESTART = record('service-restart', { away: duration });

const absence: Check<ServiceFault> = refine(RESTART, ({ away }, node, problems) =>
  away < SHORTEST_ABSENCE
    ? complain(valueAt(node, 'away'), problems, 'a second or more')
    : { kind: 'service-restart', away },
);

const restart = shortOrMap<ServiceFault>(
  refine(noOptions, () => ({ kind: 'service-restart', away: null })),
  absence,
);

export const SERVICE_FAULTS: Readonly<Record<ServiceFault['kind'], ServiceFaultKind>> = {
  'api-errors': {
    about: 'the API answers a share of the requests with an error, by default 503',
    example: 'api-errors: { status: 500, share: 20% }',
    check: errors,
  },
  'api-delay': {
    about: 'every answer of the API is delayed by this time',
    example: 'api-delay: 2s',
    check: refine(duration, (by) => ({ kind: 'api-delay', by })),
  },
  'store-unavailable': {
    about:
      'the store cannot be read or written ("writes": not written); requests that need it get 503, devices no answer',
    example: 'store-unavailable:',
    check: storeUse,
  },
  'service-down': {
    about: 'no datagram passes in either direction, and every API request gets 503',
    example: 'service-down:',
    check: refine(noOptions, () => ({ kind: 'service-down' })),
  },
  'service-restart': {
    about: 'the process of the service is killed, and starts again with the contents of its store',
    example: 'service-restart: { away: 30s }',
    check: restart,
  },
};

/** `api-errors 503, 20%` */
export function describeServiceFault(fault: ServiceFault): string {
  switch (fault.kind) {
    case 'api-errors':
      return `api-errors ${fault.status}, ${formatRatio(fault.share)}`;
    case 'api-delay':
      return `api-delay ${formatDuration(fault.by)}`;
    case 'store-unavailable':
      return fault.only === null ? fault.kind : `${fault.kind}, ${fault.only}s`;
    case 'service-down':
    case 'service-restart':
      return fault.kind;
    default:
      return fault satisfies never;
  }
}
