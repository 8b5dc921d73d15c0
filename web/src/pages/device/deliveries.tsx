/** The messages of a device that connectors have forwarded. */
import type { Connector } from '../../../../src/client/types.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { readAll } from '../../api/lists.js';
import { current } from '../../api/session.js';
import { DeliveryList } from '../../parts/delivery-list.js';
import { Failure } from '../../parts/failure.js';
import { useLoad } from '../../parts/load.js';
import { address } from '../../route.js';
import type { TabProps } from './tab.js';

/** Maximum number of listed deliveries of each connector. */
const MOST = 20;

export function Deliveries({ device: { id } }: TabProps) {
  const { value: connectors, failure } = useLoad(() => readAll((page) => current().client.connectors(page)), []);
  return (
    <section>
      <h2>Deliveries of connectors</h2>
      <Failure text={failure} />
      {connectors?.length === 0 && (
        <p class="dim">
          The space has no connectors. <a href={address('administration', 'connectors')}>Create one</a>
        </p>
      )}
      {connectors?.map((connector) => (
        <OfConnector key={connector.id} connector={connector} deviceId={id} />
      ))}
    </section>
  );
}

function OfConnector({
  connector: { id, name },
  deviceId,
}: {
  readonly connector: Connector;
  readonly deviceId: string;
}) {
  const query = { device_id: deviceId, limit: MOST };
  const { value, failure, reload } = useLoad(() => current().client.deliveries(id, query), [id, deviceId]);
  return (
    <>
      <p class="bar">
        <strong>{printableLine(name)}</strong>
        <button type="button" aria-label={`Refresh ${printableLine(name)}`} onClick={reload}>
          Refresh
        </button>
      </p>
      <Failure text={failure} />
      {value && <DeliveryList deliveries={value} />}
    </>
  );
}
