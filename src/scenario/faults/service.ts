/** Faults of the embedded cloud, as they stand in a plan. What they do is in runner/faults/. To add one: describe it here. */
import {
  type Check,
  duration,
  eitherForm,
  formed,
  formOf,
  integer,
  optional,
  ratio,
  record,
  refine,
} from '../../input/checks.js';
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import { formatDuration, type Millis } from '../../kernel/time.js';
import { noOptions } from '../steps/no-options.js';

export type ServiceFault =
  | { readonly kind: 'api-errors'; readonly status: number; readonly share: Ratio }
  | { readonly kind: 'api-delay'; readonly by: Millis }
  | { readonly kind: 'store-unavailable' }
  | { readonly kind: 'service-down' };

interface ServiceFaultKind {
  readonly about: string;
  readonly example: string;
  readonly check: Check<ServiceFault>;
}

const ERRORS = record('api-errors', { status: optional(integer(400, 599), 503), share: ratio });

const errors: Check<ServiceFault> = formed(
  () => eitherForm(formOf(ratio), formOf(ERRORS)),
  (node, problems) => {
    if (node.kind === 'map') {
      const read = ERRORS(node, problems);
      return read && { kind: 'api-errors', ...read };
    }
    const share = ratio(node, problems);
    return share === undefined ? undefined : { kind: 'api-errors', status: 503, share };
  },
);

export const SERVICE_FAULTS: Readonly<Record<ServiceFault['kind'], ServiceFaultKind>> = {
  'api-errors': {
    about: 'the API answers a share of the requests with an error, 503 unless said',
    example: 'api-errors: { status: 500, share: 20% }',
    check: errors,
  },
  'api-delay': {
    about: 'the API takes so much longer to answer; real time only, because virtual time stands still for requests',
    example: 'api-delay: 2s',
    check: refine(duration, (by) => ({ kind: 'api-delay', by })),
  },
  'store-unavailable': {
    about: 'nothing can be written: requests that would are answered 503, and devices are not answered',
    example: 'store-unavailable:',
    check: refine(noOptions, () => ({ kind: 'store-unavailable' })),
  },
  'service-down': {
    about: 'the service does not answer: no datagram gets through, and every request is answered 503',
    example: 'service-down:',
    check: refine(noOptions, () => ({ kind: 'service-down' })),
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
    case 'service-down':
      return fault.kind;
    default:
      return fault satisfies never;
  }
}
