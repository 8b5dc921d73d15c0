/** The messages of a device in both directions, newest first. */
import type { Message } from '../../../../src/client/types.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { counted } from '../../model/count.js';
import { Action } from '../../parts/action.js';
import { Ago } from '../../parts/ago.js';
import { Body } from '../../parts/body.js';
import { later } from '../../parts/later.js';
import { summaryOf } from '../../parts/summary.js';
import { choiceInAddress, openInAddress, textInAddress } from '../../route.js';
import type { TabProps } from './tab.js';
import { Way } from './way.js';

const Bytes = later(async () => (await import('./bytes.js')).Bytes);

export function Messages({ device }: TabProps) {
  const [type, setType] = textInAddress('type');
  const [direction, setDirection] = choiceInAddress('direction', ['', 'up', 'down']);
  const messages = device.messages.value;
  const types = [...new Set([...messages.map((message) => message.type), type])].filter((each) => each !== '').sort();
  const shown = messages.filter(
    (message) => (type === '' || message.type === type) && (direction === '' || message.direction === direction),
  );
  return (
    <section>
      <h2 class="hidden">Messages</h2>
      <div class="bar">
        <Choice label="Type" value={type} choose={setType} options={types} all="all types" />
        <Choice
          label="Direction"
          value={direction}
          choose={setDirection}
          options={['up', 'down']}
          all="both directions"
        />
        <p class="dim" role="status">
          {shown.length < messages.length && `${shown.length} of `}
          {counted(messages.length, 'message')}
          {device.hasOlder.value && ', the latest'}
        </p>
      </div>
      <ul class="messages">
        {shown.map((message) => (
          <li key={message.id}>
            <Entry device={device} message={message} />
          </li>
        ))}
      </ul>
      {device.hasOlder.value && <Action run={() => device.loadOlder()}>Older messages</Action>}
    </section>
  );
}

function Entry({ device, message }: TabProps & { readonly message: Message }) {
  const [isOpen, setOpen] = openInAddress(message.id);
  const { direction, type, created_at, down_state } = message;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="arrow" title={direction === 'up' ? 'from the device' : 'to the device'}>
          {direction === 'up' ? '↑' : '↓'}
        </span>
        <span class="type">{printableLine(type)}</span>
        <Ago at={Date.parse(created_at)} />
        {down_state !== null && <span class={`badge ${down_state}`}>{down_state}</span>}
        <span class="dim brief">{summaryOf(message)}</span>
      </summary>
      {isOpen && (
        <div class="inside">
          {direction === 'down' && (
            <Way message={message} station={device.stations.get(message.id)} contacts={device.contacts} />
          )}
          <Body message={message} />
          <Bytes message={message} />
        </div>
      )}
    </details>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choose: (value: string) => void;
  readonly options: readonly string[];
  /** Text of the option that shows all messages. */
  readonly all: string;
}

function Choice({ label, value, choose, options, all }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}
