/** All devices of the space. */
import { useId, useMemo } from 'preact/hooks';
import { HEALTHS, type Health, type HealthCounts } from '../../../../src/contract/health.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { counted } from '../../model/count.js';
import { countsOf, type Fleet } from '../../model/fleet.js';
import { now } from '../../model/now.js';
import { EVERY, has, searchFor, toggled } from '../../model/search.js';
import { model } from '../../model/space.js';
import { HEALTH_NAMES } from '../../parts/health-badge.js';
import { useOfRun } from '../../parts/of-run.js';
import { SearchField } from '../../parts/search-field.js';
import { choiceInAddress, textInAddress } from '../../route.js';
import { Register } from './register.js';
import { Table } from './table.js';
import { type Group, groupsOf, ofHealth, regionSelector, sortingOf, sortText, viewOf } from './view.js';

export function FleetPage() {
  const { fleet } = model();
  const [text, setText] = textInAddress('search');
  const [health, setHealth] = choiceInAddress('state', ['', ...HEALTHS]);
  const [sort, setSort] = textInAddress('sort');
  const sorting = useMemo(() => sortingOf(sort), [sort]);
  // Reading the signal makes the page render again after changes.
  const version = fleet.version.value;
  const { rows } = fleet;
  const isComplete = fleet.isComplete.value;
  // Sorting a large fleet takes a while, so it is sorted again only every few seconds.
  const turn = rows.length < 2000 ? version : Math.floor(version / 20);
  const groups = useMemo(() => groupsOf(rows), [rows.length, isComplete, turn]);
  const ofRun = useOfRun(text);
  const search = useMemo(
    () =>
      searchFor(
        text,
        groups.tags.map(({ name }) => name),
        rows,
        ofRun,
      ),
    [text, isComplete, ofRun],
  );
  const counts = useMemo(() => countsOf(rows, now.peek()).health, [rows.length, turn]);
  const view = useMemo(
    () => viewOf(rows, ofHealth(search, health, now.peek()), sorting),
    [rows.length, search, health, sorting, turn],
  );
  const leftOut = useMemo(
    () => (search.matches === EVERY ? 0 : rows.filter((row) => search.matches(row) === undefined).length),
    [rows.length, search, turn],
  );
  return (
    <div class="fleet-page">
      <div class="bar">
        <h1>Fleet</h1>
        <SearchField
          id="search"
          label="Search: a part of a name, or a selector"
          placeholder="name, serial, or tag/cold & fw<3.1"
          text={text}
          change={setText}
          status={countText(fleet, view.length, leftOut)}
          failure={search.failure}
        />
        <Register />
      </div>
      <div class="switches">
        <Healths counts={counts} chosen={health} choose={setHealth} />
        <Groups title="Tags" groups={groups.tags} selector={(name) => `tag/${name}`} text={text} choose={setText} />
        <Groups title="Regions" groups={groups.regions} selector={regionSelector} text={text} choose={setText} />
      </div>
      {isComplete && rows.length > 0 && view.length === 0 && (
        <p class="dim">No device matches: change the search, or switch off the state.</p>
      )}
      {isComplete && rows.length === 0 ? (
        <Empty />
      ) : (
        <Table rows={view} turn={turn} count={view.length} sorting={sorting} sort={(next) => setSort(sortText(next))} />
      )}
    </div>
  );
}

/** @param leftOut number of devices that the search cannot compare, such as one whose firmware is "nightly" with a version */
function countText({ rows, isComplete }: Fleet, found: number, leftOut: number): string {
  const all = counted(rows.length, 'device');
  if (!isComplete.value) return `${all}, loading …`;
  if (found === rows.length) return all;
  const others = leftOut === 0 ? '' : `, ${leftOut.toLocaleString('en')} left out: no version`;
  return `${found.toLocaleString('en')} of ${all}${others}`;
}

interface HealthsProps {
  readonly counts: Readonly<HealthCounts>;
  /** Empty for all. */
  readonly chosen: Health | '';
  readonly choose: (health: Health | '') => void;
}

/** How many devices are on time, late, silent or never seen, as switches in addition to the search. */
function Healths({ counts, chosen, choose }: HealthsProps) {
  const titleId = useId();
  const shown = HEALTHS.filter((each) => counts[each] > 0 || each === chosen);
  if (shown.length === 0) return null;
  return (
    <div class="kind">
      <span class="dim" id={titleId}>
        State
      </span>
      <ul class="groups" aria-labelledby={titleId}>
        {shown.map((each) => (
          <li key={each}>
            <button type="button" aria-pressed={each === chosen} onClick={() => choose(each === chosen ? '' : each)}>
              <span class={`swatch ${each}`} aria-hidden="true" /> {HEALTH_NAMES[each]}{' '}
              <span class="dim">{counts[each].toLocaleString('en')}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface GroupsProps {
  readonly title: string;
  readonly groups: readonly Group[];
  readonly selector: (name: string) => string;
  /** Of the search. */
  readonly text: string;
  readonly choose: (text: string) => void;
}

/** Maximum number of switches of a kind. Other tags and regions can still be entered in the search. */
const MOST_GROUPS = 24;

/** Tags or regions as switches of the search, of which one replaces the other. */
function Groups({ title, groups, selector, text, choose }: GroupsProps) {
  const titleId = useId();
  if (groups.length === 0) return null;
  const shown = groups.slice(0, MOST_GROUPS);
  return (
    <div class="kind">
      <span class="dim" id={titleId}>
        {title}
      </span>
      <ul class="groups" aria-labelledby={titleId}>
        {shown.map(({ name, devices, waiting }) => {
          const wanted = selector(name);
          return (
            <li key={name}>
              <button
                type="button"
                aria-pressed={has(text, wanted)}
                onClick={() =>
                  choose(
                    toggled(
                      text,
                      wanted,
                      shown.map((other) => selector(other.name)),
                    ),
                  )
                }
              >
                {printableLine(name)} <span class="dim">{devices.toLocaleString('en')}</span>
                {waiting > 0 && <span class="count"> {waiting} waiting</span>}
              </button>
            </li>
          );
        })}
        {groups.length > MOST_GROUPS && <li class="dim">and {groups.length - MOST_GROUPS} more</li>}
      </ul>
    </div>
  );
}

function Empty() {
  return (
    <p class="empty">
      This space has no devices. <code>ghostfleet device clime --help</code> says how to start a virtual one.
    </p>
  );
}
