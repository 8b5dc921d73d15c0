/** A warning about connectors that have not delivered all their messages: no metric counts deliveries. */
import { ApiError, ConnectionError, type Delivery, type DeviceCloudClient } from '../../client/client.js';
import { humanCount } from '../../kernel/quantity.js';
import type { Plan } from '../../scenario/model/plan.js';

/** Maximum number of connectors that are looked at. */
const MOST_CONNECTORS = 500;

/**
 * A sentence for each connector of the setup with deliveries that have failed, or that wait for an attempt. Empty if the cloud
 * does not answer.
 */
export async function warnOfUndelivered(
  api: Pick<DeviceCloudClient, 'connectors' | 'allDeliveries'>,
  { setup = [] }: Pick<Plan, 'setup'>,
): Promise<readonly string[]> {
  const names = new Set(setup.flatMap((call) => (call.setup === 'connector' ? [call.options.name] : [])));
  if (names.size === 0) return [];
  try {
    const sentences: string[] = [];
    for (const { id, name } of await api.connectors({ limit: MOST_CONNECTORS })) {
      if (names.has(name)) sentences.push(...(await describeUndelivered(name, api.allDeliveries(id))));
    }
    return sentences;
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConnectionError) return [];
    throw error;
  }
}

/** @param deliveries newest first */
async function describeUndelivered(name: string, deliveries: AsyncIterable<Delivery>): Promise<readonly string[]> {
  const count = { pending: 0, delivered: 0, failed: 0, cancelled: 0 };
  let latest: Delivery | undefined;
  for await (const delivery of deliveries) {
    const { state } = delivery;
    count[state]++;
    if (state === 'failed' || state === 'pending') latest ??= delivery;
  }
  if (latest === undefined) return [];
  const all = count.pending + count.delivered + count.failed + count.cancelled;
  const parts = [
    ...(count.failed > 0 ? [`${humanCount(count.failed)} failed`] : []),
    ...(count.pending > 0 ? [`${humanCount(count.pending)} not finished`] : []),
  ];
  const deliveriesOf = all === 1 ? 'delivery' : 'deliveries';
  return [
    `connector "${name}": ${humanCount(all)} ${deliveriesOf}, of which ${parts.join(', ')}${describeOutcome(latest)}`,
  ];
}

/** How the last attempt ended. The texts of script and target are left out, because they may contain secrets. */
function describeOutcome({ log }: Delivery): string {
  const attempt = log.at(-1);
  if (attempt === undefined) return '';
  return `; last attempt: ${attempt.status === null ? 'no response' : `status ${attempt.status}`}`;
}
