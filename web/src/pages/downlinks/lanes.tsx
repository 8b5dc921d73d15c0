/** Lanes of downlinks: each shows the stops that a downlink has passed, and where it is. */
import { printableLine } from '../../../../src/kernel/printable.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import type { Downlinks } from '../../model/downlinks.js';
import { type Lane, STOPS, type StopName } from '../../model/journeys.js';
import { model } from '../../model/space.js';
import { NO_CONTACTS } from '../../model/story.js';
import { Action } from '../../parts/action.js';
import { DeviceLink } from '../../parts/device-link.js';
import { summaryOf } from '../../parts/summary.js';
import { openInAddress } from '../../route.js';
import { Way } from '../device/way.js';
import type { LaneGroup } from './groups.js';

/** Maximum number of lanes that are shown of a group. */
export const MOST_LANES = 40;

interface LanesProps {
  readonly groups: readonly LaneGroup[];
  readonly downlinks: Downlinks;
}

/** Headings and lanes are in one list, so that the browser moves a lane to another group and does not make it anew. */
export function Lanes({ groups, downlinks }: LanesProps) {
  const lanes = groups.flatMap(({ members }) => members);
  if (lanes.length === 0) return null;
  // Only a run knows all stops.
  const isKnown = (name: StopName) => lanes.some(({ stops }) => stops.some((stop) => stop.name === name));
  return (
    <ul class="lanes">
      <li class="lane-head" aria-hidden="true">
        <span />
        <span class="track-names">
          {STOPS.map((name) => (
            <span key={name}>{isKnown(name) && name}</span>
          ))}
        </span>
      </li>
      {groups.flatMap(({ name, tone, members }) => [
        ...(name === '' ? [] : [<GroupTitle key={`group ${name}`} name={name} tone={tone} members={members} />]),
        ...members
          .slice(0, MOST_LANES)
          .map((lane) => <LaneRow key={lane.message.id} lane={lane} downlinks={downlinks} />),
        ...(members.length > MOST_LANES
          ? [
              <li key={`more ${name}`} class="dim">
                and {members.length - MOST_LANES} more
              </li>,
            ]
          : []),
      ])}
    </ul>
  );
}

function GroupTitle({ name, tone, members }: LaneGroup) {
  // Those that have just arrived are still in the group, but not on their way.
  const count = members.filter(({ isOver }) => !isOver).length;
  return (
    <li class="lane-group">
      <h3 class={tone}>
        {name} <span class="dim">({count})</span>
      </h3>
    </li>
  );
}

function LaneRow({ lane, downlinks }: { readonly lane: Lane; readonly downlinks: Downlinks }) {
  const [isOpen, setOpen] = openInAddress(lane.message.id);
  const { message, text, tone } = lane;
  const summary = summaryOf(message);
  return (
    <li class="lane">
      <div class="lane-what">
        <button
          type="button"
          class="fold"
          aria-expanded={isOpen}
          aria-label={`Details of ${summary}, ${printableLine(message.device_name)}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
        <DeviceLink id={message.device_id} />
        <span class="dim brief" title={summary}>
          {printableLine(message.type)} <code>{summary}</code>
        </span>
      </div>
      <Track lane={lane} />
      <span class={`lane-text ${tone}`}>{text}</span>
      {isOpen && <Details lane={lane} downlinks={downlinks} />}
    </li>
  );
}

/** The stops on a line; a dot travels along it. */
function Track({ lane: { stops, isOver, tone } }: { readonly lane: Lane }) {
  const last = stops.findLast(({ state }) => state !== 'ahead')?.name ?? 'queued';
  const share = STOPS.indexOf(last) / STOPS.length;
  const end = STOPS.indexOf(stops.at(-1)?.name ?? 'queued') / STOPS.length;
  return (
    <div class="track-box">
      <span class="way whole" style={{ width: `${end * 100}%` }} aria-hidden="true" />
      <span class="way" style={{ width: `${share * 100}%` }} aria-hidden="true" />
      <span
        class={`traveller ${isOver ? 'over' : ''} ${tone}`}
        style={{ left: `${(share + 0.5 / STOPS.length) * 100}%` }}
        aria-hidden="true"
      />
      <ol class="track">
        {STOPS.map((name) => {
          const stop = stops.find((each) => each.name === name);
          if (!stop) return null;
          const after =
            stop.at === undefined || name === 'queued' || name === 'waiting' ? '' : ` after ${humanDuration(stop.at)}`;
          return (
            <li key={name} class={stop.state} style={{ gridColumn: STOPS.indexOf(name) + 1 }} title={`${name}${after}`}>
              <span class="hidden">
                {name}
                {after}: {STATES[stop.state]}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

const STATES = { passed: 'done', here: 'now', ahead: 'not yet' } as const;

function Details({ lane: { message }, downlinks }: { readonly lane: Lane; readonly downlinks: Downlinks }) {
  const { id, device_id, down_state } = message;
  const contacts = model().fleet.contacts(device_id) ?? NO_CONTACTS;
  return (
    <div class="inside">
      <Way message={message} station={downlinks.all.value.get(id)?.station?.what} contacts={contacts} />
      {down_state === 'pending' && (
        <p>
          <Action run={() => downlinks.cancel(id)} label={`Cancel ${summaryOf(message)}`} isDangerous>
            Cancel
          </Action>
        </p>
      )}
    </div>
  );
}
