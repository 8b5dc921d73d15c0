/** All pending downlinks of the space, grouped by the reason of their wait, and the times of the delivered ones. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Message } from '../../../../src/client/types.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { recoveries } from '../../api/answering.js';
import { current, explain } from '../../api/session.js';
import { type Downlink, Downlinks, waitsFor } from '../../model/downlinks.js';
import { model } from '../../model/space.js';
import { Action } from '../../parts/action.js';
import { Ago } from '../../parts/ago.js';
import { Failure } from '../../parts/failure.js';
import { summaryOf } from '../../parts/summary.js';
import { Timeline, useTimeline } from '../../parts/timeline.js';
import { address } from '../../route.js';
import { Histogram } from './histogram.js';

/** Maximum number of rows that are shown for a group. */
const MOST = 100;

export function DownlinksPage() {
  const [failure, setFailure] = useState('');
  const downlinks = useMemo(() => new Downlinks(current().client, model().feed), []);
  useEffect(() => () => downlinks.close(), [downlinks]);
  useEffect(() => {
    downlinks.load().then(
      () => setFailure(''),
      (error: unknown) => setFailure(explain(error)),
    );
  }, [downlinks, recoveries.value]);
  const all = [...downlinks.all.value.values()];
  const messages = useMemo(() => newestFirst(all), [downlinks.all.value]);
  // Reading the signal makes the page render again after contacts of devices.
  model().fleet.version.value;
  const groups = groupsOf(all);
  const waiting = [...groups.values()].reduce((sum, group) => sum + group.length, 0);
  return (
    <div class="page">
      <h1>Downlinks</h1>
      <Failure text={failure} />
      <div class="columns">
        <section>
          <h2>On their way{failure === '' && ` (${waiting})`}</h2>
          {groups.size === 0 && failure === '' && (
            <p class="dim">Nothing waits. Open a device to send something to it.</p>
          )}
          {[...groups].map(([reason, members]) => (
            <Group key={reason} reason={reason} members={members} downlinks={downlinks} />
          ))}
        </section>
        {failure === '' && <Histogram messages={messages} />}
      </div>
    </div>
  );
}

function newestFirst(all: readonly Downlink[]): readonly Message[] {
  return all.map(({ message }) => message).sort((a, b) => (a.id > b.id ? -1 : 1));
}

/** Pending downlinks by the reason of their wait, oldest first. */
function groupsOf(all: readonly Downlink[]): ReadonlyMap<string, readonly Downlink[]> {
  const { fleet } = model();
  const pending = all
    .filter(({ message }) => message.down_state === 'pending')
    .sort((a, b) => (a.message.id < b.message.id ? -1 : 1));
  const groups = new Map<string, Downlink[]>();
  const devices = new Set<string>();
  for (const downlink of pending) {
    const { device_id } = downlink.message;
    const reason = waitsFor(downlink, fleet.row(device_id)?.lastContact, !devices.has(device_id));
    devices.add(device_id);
    groups.set(reason, [...(groups.get(reason) ?? []), downlink]);
  }
  return groups;
}

interface GroupProps {
  readonly reason: string;
  readonly members: readonly Downlink[];
  readonly downlinks: Downlinks;
}

function Group({ reason, members, downlinks }: GroupProps) {
  return (
    <section class="group">
      <h3>
        Waiting for {printableLine(reason)} ({members.length})
      </h3>
      <ul class="messages">
        {members.slice(0, MOST).map((downlink) => (
          <li key={downlink.message.id}>
            <Entry downlink={downlink} downlinks={downlinks} />
          </li>
        ))}
      </ul>
      {members.length > MOST && <p class="dim">and {members.length - MOST} more</p>}
    </section>
  );
}

function Entry({ downlink, downlinks }: { readonly downlink: Downlink; readonly downlinks: Downlinks }) {
  const [isOpen, setOpen] = useState(false);
  const { message } = downlink;
  const { id, type, created_at, device_id, device_name } = message;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="type">{printableLine(type)}</span>
        <Ago at={Date.parse(created_at)} />
        <span>{printableLine(device_name)}</span>
        <span class="dim brief">{summaryOf(message)}</span>
      </summary>
      {isOpen && (
        <div class="inside">
          <p>
            <a href={address('devices', device_id, 'queue')}>Open the device</a>{' '}
            <Action run={() => downlinks.cancel(id)} label={`Cancel ${summaryOf(message)}`} isDangerous>
              Cancel
            </Action>
          </p>
          <Stations downlink={downlink} />
        </div>
      )}
    </details>
  );
}

function Stations({ downlink: { message, station } }: { readonly downlink: Downlink }) {
  const { value = [], failure } = useTimeline(message, station?.what);
  return (
    <>
      <Failure text={failure} />
      <Timeline entries={value} />
    </>
  );
}
