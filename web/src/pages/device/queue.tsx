/** The downlinks of a device: a form to send one, the pending ones, and the timelines of the latest ones. */
import type { Message } from '../../../../src/client/types.js';
import { changedNumbersIn } from '../../../../src/kernel/json-numbers.js';
import type { DeviceModel } from '../../model/device.js';
import { Action } from '../../parts/action.js';
import { Ago } from '../../parts/ago.js';
import { Failure } from '../../parts/failure.js';
import { useKept } from '../../parts/kept.js';
import { useRequest } from '../../parts/request.js';
import { summaryOf } from '../../parts/summary.js';
import type { TabProps } from './tab.js';
import { Way } from './way.js';

export function Queue({ device }: TabProps) {
  const { downlinks } = device;
  const waiting = downlinks.filter(({ down_state }) => down_state === 'pending').reverse();
  const ended = downlinks.filter(({ down_state }) => down_state !== 'pending').slice(0, 20);
  return (
    <div class="queue">
      <Send device={device} />
      <div class="stations">
        <section>
          <h2>Waiting ({waiting.length})</h2>
          {waiting.length === 0 && <p class="dim">Nothing waits for this device.</p>}
          {waiting.map((message) => (
            <article class="downlink" key={message.id}>
              <Title message={message} />{' '}
              <Action run={() => device.cancel(message.id)} label={`Cancel ${summaryOf(message)}`} isDangerous>
                Cancel
              </Action>
              <Way message={message} station={device.stations.get(message.id)} contacts={device.contacts} />
            </article>
          ))}
        </section>
        <section>
          <h2>Latest</h2>
          {ended.length === 0 && <p class="dim">Nothing has been delivered yet.</p>}
          {ended.map((message) => (
            <article class="downlink" key={message.id}>
              <Title message={message} />
              <Way message={message} station={device.stations.get(message.id)} contacts={device.contacts} />
            </article>
          ))}
        </section>
      </div>
    </div>
  );
}

function Title({ message }: { readonly message: Message }) {
  const { type, down_state, created_at } = message;
  return (
    <>
      <span class={`badge ${down_state}`}>{down_state}</span> <code>{summaryOf(message)}</code>{' '}
      <span class="dim">
        {type}, queued <Ago at={Date.parse(created_at)} />
      </span>
    </>
  );
}

const KINDS = {
  commands: { title: 'shell commands', hint: 'info show' },
  config: { title: 'configuration', hint: 'app config interval-report 900' },
  data: { title: 'data (JSON)', hint: '{"led": true}' },
} as const;
type Kind = keyof typeof KINDS;

function Send({ device }: TabProps) {
  const [kind, setKind] = useKept<Kind>('kind', 'commands');
  const [text, setText] = useKept('lines', '');
  const { isBusy, failure, run } = useRequest();

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    void run(async () => {
      await send(device, kind, text);
      setText('');
    });
  }

  return (
    <section>
      <h2>Send</h2>
      <form class="stack" onSubmit={submit}>
        <label>
          Kind{' '}
          <select
            value={kind}
            // The cast is safe because the options are the keys of KINDS.
            onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
          >
            {Object.entries(KINDS).map(([key, { title }]) => (
              <option key={key} value={key}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          {kind === 'data' ? 'Object' : 'Lines'}
          <textarea
            rows={3}
            required
            spellcheck={false}
            placeholder={KINDS[kind].hint}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <Failure text={failure} />
        <button type="submit" class="primary" aria-disabled={isBusy}>
          Queue
        </button>
      </form>
    </section>
  );
}

function send(device: DeviceModel, kind: Kind, text: string): Promise<Message> {
  if (kind === 'data') return device.sendData(objectIn(text));
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return kind === 'config' ? device.sendConfig(lines) : device.sendCommands(lines);
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`The text is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  // The service could not notice it: the browser has already changed the number.
  const changed = changedNumbersIn(text);
  if (changed !== undefined) throw new Error(changed);
  // An array passes this check, because arrays are objects in JavaScript. The service rejects it with a clear message.
  if (typeof value !== 'object' || value === null)
    throw new Error('The text is not a JSON object such as {"led": true}.');
  return value as Readonly<Record<string, unknown>>;
}
