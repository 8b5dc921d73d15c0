import type { Health } from '../../../src/contract/health.js';

export const HEALTH_NAMES: Readonly<Record<Health, string>> = {
  on_time: 'on time',
  late: 'late',
  silent: 'silent',
  never_seen: 'never seen',
};

const COLOURS: Readonly<Record<Health, string>> = { on_time: 'good', late: 'late', silent: 'bad', never_seen: 'new' };

/** Whether a device keeps its rhythm. */
export function HealthBadge({ health }: { readonly health: Health }) {
  return <span class={`badge ${COLOURS[health]}`}>{HEALTH_NAMES[health]}</span>;
}
