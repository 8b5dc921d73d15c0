/** One device: its facts, messages, downlinks, updates and deliveries, and a terminal. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError } from '../../../../src/client/client.js';
import type { Device } from '../../../../src/client/types.js';
import { findHealth } from '../../../../src/contract/health.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { recoveries } from '../../api/answering.js';
import { current, explain } from '../../api/session.js';
import { DeviceModel } from '../../model/device.js';
import { now } from '../../model/now.js';
import { model } from '../../model/space.js';
import { rhythmOf } from '../../model/story.js';
import { Ago } from '../../parts/ago.js';
import { Failure } from '../../parts/failure.js';
import { HealthBadge } from '../../parts/health-badge.js';
import { later } from '../../parts/later.js';
import { Links } from '../../parts/links.js';
import { Sources } from '../../parts/sources.js';
import { address, route } from '../../route.js';
import { Deliveries } from './deliveries.js';
import { Messages } from './messages.js';
import { nextContact } from './next-contact.js';
import { Overview } from './overview.js';
import { Queue } from './queue.js';
import type { Tab, TabProps } from './tab.js';
import { Updates } from './updates.js';
import { useDoing } from './use-doing.js';

const TABS: readonly [Tab, ...Tab[]] = [
  { key: 'overview', title: 'Overview', content: Overview },
  { key: 'messages', title: 'Messages', content: Messages },
  { key: 'queue', title: 'Downlinks', content: Queue },
  { key: 'updates', title: 'Updates', content: Updates },
  { key: 'deliveries', title: 'Deliveries', content: Deliveries },
  {
    key: 'terminal',
    title: 'Terminal',
    content: later(async () => (await import('./terminal-tab.js')).TerminalTab),
  },
];

export function DevicePage() {
  const [id = '', key] = route.value.rest;
  const [failure, setFailure] = useState('');
  const device = useMemo(() => new DeviceModel(id, current().client, model().feed), [id]);
  useEffect(() => () => device.close(), [device]);
  useEffect(() => {
    device.load().then(
      () => setFailure(''),
      (error: unknown) => {
        if (!isMissing(error)) setFailure(explain(error));
        else if (device.device.value) device.isDeleted.value = true;
        else setFailure(MISSING);
      },
    );
  }, [device, device.missed.value, recoveries.value]);
  const tab = TABS.find((each) => each.key === key) ?? TABS[0];
  const Content = tab.content;
  const name = device.device.value?.name;
  const waiting = device.downlinks.filter(({ down_state }) => down_state === 'pending').length;
  return (
    <div class="page">
      <p class="path">
        <a href={address('fleet')}>Fleet</a>
      </p>
      <div class="bar">
        <h1>{name === undefined ? 'Device' : printableLine(name)}</h1>
        <p class="dim">{productOf(device.device.value)}</p>
        {!device.isDeleted.value && tab.key !== 'overview' && <Contact device={device} />}
      </div>
      <Sources cloud="Messages, contacts and charts" run="What the device does, its next contact and its faults" />
      <Failure text={device.isDeleted.value ? DELETED : failure} />
      {failure !== MISSING && (
        <Links class="tabs" label="About this device" current={tab.key}>
          {TABS.map((each) => (
            <a
              key={each.key}
              href={address('devices', id, each.key)}
              {...(each === tab && { 'aria-current': 'page' as const })}
            >
              {each.title}
              {each.key === 'queue' && waiting > 0 && ` (${waiting})`}
            </a>
          ))}
        </Links>
      )}
      {device.device.value ? <Content device={device} /> : failure === '' && <p class="wait">Loading …</p>}
    </div>
  );
}

const DELETED = 'This device was deleted. The page shows what was known of it.';
const MISSING = 'The space has no such device; it may have been deleted.';

/** `CHESTER Control v4.0.0`; empty before the first session. */
function productOf(device: Device | undefined): string {
  const { fw_name, product_name, fw_version } = device?.session ?? {};
  return printableLine([fw_name ?? product_name, fw_version].filter((part) => part !== undefined).join(' '));
}

/** Whether the id in the address belongs to no device. The status is 400 if the text cannot be an id. */
function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400);
}

/** The state of the device in one line, above its other tabs. */
function Contact({ device }: TabProps) {
  const { value } = device.device;
  const doing = useDoing(value?.serial_number);
  if (!value) return null;
  const rhythm = rhythmOf(value);
  const next = nextContact({ ...rhythm, doing, now: now.value });
  return (
    <>
      <HealthBadge health={findHealth(rhythm, now.value)} />
      {doing && <p class={doing.kind === 'trouble' ? 'late' : ''}>{doing.text}</p>}
      <p class="dim">
        last contact <Ago at={rhythm.lastContact ?? 0} />
      </p>
      {next.value !== '–' && (
        <p class="dim">
          next contact {next.tone === 'late' ? 'was expected ' : ''}
          {next.value}
        </p>
      )}
    </>
  );
}
