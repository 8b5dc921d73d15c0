/** The faults of the embedded cloud. */
import {
  type Check,
  complain,
  describeKey,
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
import { chance } from '../../kernel/random.js';
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import { formatDuration, type Millis, seconds } from '../../kernel/time.js';
import { noOptions } from '../values/no-options.js';
import type { ServiceFaultKind } from './kind.js';
import { LOSES_ALL } from './outage.js';

type ApiErrors = {
  readonly status: number;
  readonly share: Ratio;
};

export const apiErrors: ServiceFaultKind<ApiErrors> = {
  part: 'service',
  about: 'the API answers a share of the requests with an error, by default 503',
  example: 'api-errors: { status: 500, share: 20% }',
  check: shortOrMap<ApiErrors>(
    refine(ratio, (share) => ({ status: 503, share })),
    record('api-errors', {
      status: optional(describeKey('HTTP status of the answers. Default: 503.', 429, integer(400, 599)), 503),
      share: describeKey('Share of the requests that fail.', '20%', ratio),
    }),
  ),
  describe: ({ status, share }) => `api-errors ${status}, ${formatRatio(share)}`,
  service: { request: ({ status, share }, draws) => (chance(draws, share) ? status : undefined) },
};

export const apiDelay: ServiceFaultKind<Millis> = {
  part: 'service',
  about: 'every answer of the API is delayed by this time',
  example: 'api-delay: 2s',
  check: duration,
  describe: (by) => `api-delay ${formatDuration(by)}`,
  service: { delay: (by) => by },
};

/** `write`: writing fails and reading works; null: both fail. */
const storeUse: Check<'write' | null> = formed(
  () => ({ enum: [null, true, 'writes'] }),
  (node, problems) => {
    if (node.kind === 'scalar' && node.value === 'writes') return 'write';
    if (node.kind === 'scalar' && (node.value === null || node.value === true)) return null;
    return complain(node, problems, 'left empty, or "writes"');
  },
);

export const storeUnavailable: ServiceFaultKind<'write' | null> = {
  part: 'service',
  about:
    'the store cannot be read or written ("writes": not written); requests that need it get 503, devices no answer',
  example: 'store-unavailable:',
  check: storeUse,
  describe: (only) => (only === null ? 'store-unavailable' : `store-unavailable, ${only}s`),
  service: { stops: (only, use) => only === null || only === use },
  effect: () => 'blocks',
};

export const serviceDown: ServiceFaultKind<null> = {
  part: 'service',
  about: 'no datagram passes in either direction, and every API request gets 503',
  example: 'service-down:',
  check: noOptions,
  service: { request: () => 503 },
  datagrams: LOSES_ALL,
  effect: () => 'blocks',
};

/** Shortest time for which a restart may keep the service down; no real service restarts faster. */
const SHORTEST_ABSENCE = seconds(1);

/** The option is how long the service is down; null if it is down until the fault ends. */
export const serviceRestart: ServiceFaultKind<Millis | null> = {
  part: 'service',
  about: 'the process of the service is killed, and starts again with the contents of its store',
  example: 'service-restart: { away: 30s }',
  check: shortOrMap<Millis | null>(
    noOptions,
    refine(
      record('service-restart', { away: describeKey('How long the service is away.', '30s', duration) }),
      ({ away }, node, problems) =>
        away < SHORTEST_ABSENCE ? complain(valueAt(node, 'away'), problems, 'a second or more') : away,
    ),
  ),
  service: { away: true },
  effect: () => 'blocks',
  duration: { option: 'away', of: (away) => away },
};
