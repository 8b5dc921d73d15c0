/** Connectors: their scripts, previews and deliveries. */
import { useState } from 'preact/hooks';
import type { Connector, ConnectorTrigger } from '../../../../src/client/types.js';
import { printable, printableLine } from '../../../../src/kernel/printable.js';
import { readAll } from '../../api/lists.js';
import { type Entered, inputs } from '../../model/inputs.js';
import { Action } from '../../parts/action.js';
import { DeliveryList } from '../../parts/delivery-list.js';
import { Failure } from '../../parts/failure.js';
import { useFormName } from '../../parts/kept.js';
import { useLoad } from '../../parts/load.js';
import { useRequest } from '../../parts/request.js';
import type { Family, Surroundings } from './family.js';

const TRIGGERS = Object.values<ConnectorTrigger>({
  data: 'data',
  session: 'session',
  config: 'config',
  stats: 'stats',
  codec: 'codec',
} satisfies { readonly [T in ConnectorTrigger]: T });
const EXAMPLE = "const main = ({ device, message }) => ({ url: 'https://example.com/hook', data: message.body });";

export const CONNECTORS: Family<Connector> = {
  load: ({ client }) => readAll((page) => client.connectors(page)),
  nameOf: ({ name }) => name,
  columns: [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'State', cell: ({ state }) => <span class={state === 'enabled' ? 'good' : 'dim'}>{state}</span> },
    { title: 'Direction', cell: ({ direction }) => direction },
    { title: 'Triggers', cell: ({ triggers }) => triggers.join(', ') },
    { title: 'Tags', cell: ({ tags }) => tags.map(({ name }) => name).join(', ') || 'none: forwards nothing' },
  ],
  form: {
    title: 'New connector',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true },
      { name: 'trigger', label: 'Trigger', kind: 'choice', options: TRIGGERS },
      { name: 'direction', label: 'Direction', kind: 'choice', options: ['up', 'down'] },
      { name: 'tags', label: 'Forwards messages of devices with these tags', kind: 'tags' },
      { name: 'script', label: 'Script', kind: 'lines', isRequired: true, initial: EXAMPLE },
    ],
    create: async (values, { client }) => {
      const trigger = TRIGGERS.find((each) => each === values.text('trigger')) ?? 'data';
      await client.createConnector({
        ...{ name: values.needed('name'), transformation: values.needed('script'), triggers: [trigger] },
        ...{ tags: values.tags(), direction: values.text('direction') === 'down' ? 'down' : 'up' },
      });
      return undefined;
    },
  },
  actions: [
    {
      title: 'Enable',
      fits: ({ state }) => state === 'disabled',
      run: async ({ id }, { client }) => void (await client.updateConnector(id, { state: 'enabled' })),
    },
    {
      title: 'Disable',
      fits: ({ state }) => state === 'enabled',
      confirm: ({ name }) => `Disable "${name}"? Its pending deliveries are dropped.`,
      run: async ({ id }, { client }) => void (await client.updateConnector(id, { state: 'disabled' })),
    },
    {
      title: 'Delete',
      confirm: ({ name }) => `Delete the connector "${name}" and its pending deliveries?`,
      run: async ({ id }, { client }) => void (await client.deleteConnector(id)),
    },
  ],
  detail: Detail,
  empty: 'The space has no connectors.',
};

interface DetailProps {
  readonly item: Connector;
  readonly surroundings: Surroundings;
  readonly reload: () => void;
}

function Detail({ item, surroundings: { client, isAdmin }, reload }: DetailProps) {
  const name = useFormName(`script ${item.id}`);
  const [before] = useState(() => inputs.get(name));
  const [script, setScript] = useState(String(before?.get('script') ?? item.transformation));
  // The connector on whose script the edit is based. A later version with the same script is as good.
  const [loaded, setLoaded] = useState(before ? basedOn(item, before) : item);
  const edit = (text: string) => {
    setScript(text);
    const { transformation, version } = loaded;
    const isSame = text === item.transformation;
    inputs.put(name, new Map(isSame ? [] : Object.entries({ script: text, transformation, version: `${version}` })));
  };
  const [shown, setShown] = useState('');
  const { failure, run } = useRequest();

  async function preview(): Promise<void> {
    setShown('');
    const [message] = await client.messages({
      type: item.triggers,
      direction: item.direction,
      limit: 1,
      after: LONG_AGO,
    });
    if (!message) throw new Error('No message of these types is stored.');
    setShown(JSON.stringify(await client.previewConnector(item.id, message.id, script), null, 2));
  }

  return (
    <section class="detail">
      <h2>{printableLine(item.name)}</h2>
      <label>
        Script
        <textarea
          rows={10}
          spellcheck={false}
          readOnly={!isAdmin}
          value={script}
          onInput={({ currentTarget }) => edit(currentTarget.value)}
        />
      </label>
      <p class="bar">
        {isAdmin && (
          <Action
            run={async () => {
              const { version } = item.transformation === loaded.transformation ? item : loaded;
              setLoaded(await client.updateConnector(item.id, { transformation: script }, version));
              inputs.forget(name);
              reload();
            }}
          >
            Save
          </Action>
        )}
        {isAdmin && script !== item.transformation && (
          <button
            type="button"
            onClick={() => {
              inputs.forget(name);
              setScript(item.transformation);
              setLoaded(item);
            }}
          >
            Discard the changes
          </button>
        )}
        <button type="button" onClick={() => void run(preview)}>
          Preview with the latest message
        </button>
      </p>
      <Failure text={failure} />
      {shown !== '' && <pre>{printable(shown)}</pre>}
      <Deliveries connectorId={item.id} client={client} />
    </section>
  );
}

/** The connector on which a script is based that was edited before. */
function basedOn(item: Connector, entered: Entered): Connector {
  const transformation = String(entered.get('transformation'));
  return { ...item, transformation, version: Number(entered.get('version')) };
}

const LONG_AGO = '1970-01-01T00:00:00.000Z';

function Deliveries({ connectorId, client }: Pick<Surroundings, 'client'> & { readonly connectorId: string }) {
  const { value = [], failure, reload } = useLoad(() => client.deliveries(connectorId, { limit: 50 }), [connectorId]);
  return (
    <>
      <p class="bar">
        <strong>Latest deliveries</strong>
        <button type="button" onClick={reload}>
          Refresh
        </button>
      </p>
      <Failure text={failure} />
      <DeliveryList deliveries={value} />
    </>
  );
}
