/** The downlinks of the space: a lane for each one on its way, grouped by what it waits for, and the times of the delivered ones. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Message } from '../../../../src/client/types.js';
import { isOver } from '../../api/answering.js';
import { current } from '../../api/session.js';
import { type Downlink, Downlinks } from '../../model/downlinks.js';
import { JourneyReader, MOST_READ } from '../../model/journey-reader.js';
import { type Lane, lanesOf } from '../../model/journeys.js';
import { now } from '../../model/now.js';
import { runState } from '../../model/run.js';
import { model } from '../../model/space.js';
import { Failure } from '../../parts/failure.js';
import { useFocusThatStays } from '../../parts/focus.js';
import { useLoad } from '../../parts/load.js';
import { Sources } from '../../parts/sources.js';
import { textInAddress } from '../../route.js';
import { GroupPlaces, groupsOf } from './groups.js';
import { deliveredOf, Histogram } from './histogram.js';
import { Lanes, MOST_LANES } from './lanes.js';

export function DownlinksPage() {
  const [type, setType] = textInAddress('type');
  useFocusThatStays();
  const downlinks = useMemo(() => new Downlinks(current().client, model().feed), []);
  const reader = useMemo(() => new JourneyReader(current().client, model().run), []);
  const places = useRef(new GroupPlaces());
  useEffect(
    () => () => {
      downlinks.close();
      reader.close();
    },
    [downlinks],
  );
  const { value: isLoaded, failure } = useLoad(async () => {
    await downlinks.load();
    return true;
  }, [downlinks, downlinks.missed.value]);
  const { value: all } = downlinks.all;
  const messages = useMemo(() => newestFirst(all), [all]);
  const delivered = useMemo(() => deliveredOf(messages, type), [messages, type]);
  const { value: journeys } = reader.journeys;
  const { fleet } = model();
  // Reading the signal makes the page render again after contacts of devices.
  fleet.version.value;
  const isRun = runState.value !== undefined;
  const lanes = lanesOf([...all.values()], journeys, {
    ...{ isRun, now: now.value },
    contactsOf: (deviceId) => fleet.contacts(deviceId),
  });
  const { groups, over } = groupsOf(lanes, places.current);
  const downlinksOf = (shown: readonly Lane[]) => shown.flatMap(({ message: { id } }) => all.get(id) ?? []);
  const inView = downlinksOf([...groups.flatMap(({ members }) => members.slice(0, MOST_LANES)), ...over]);
  const hidden = downlinksOf(groups.flatMap(({ members }) => members.slice(MOST_LANES)));
  const divided = isRun ? delivered : delivered.slice(0, MOST_READ);
  useEffect(() => {
    if (isOver.value) return;
    const others = [...hidden, ...divided.flatMap(({ id }) => all.get(id) ?? [])];
    reader.want({ shown: inView, others, all: messages, isRun });
  });
  const waiting = lanes.filter(({ isOver }) => !isOver).length;
  return (
    <div class="page">
      <h1>Downlinks</h1>
      <Sources cloud="Downlinks and their states" run="Causes, and the stops received and executed" />
      <Failure text={failure} />
      <section class="journeys">
        <h2>On their way{isLoaded && failure === '' && ` (${waiting})`}</h2>
        {groups.length === 0 && isLoaded && <p class="dim">Nothing waits. Open a device to send something to it.</p>}
        <Lanes groups={groups} downlinks={downlinks} />
      </section>
      <div class="columns">
        {isLoaded && failure === '' && <Histogram {...{ messages, delivered, journeys, type }} choose={setType} />}
        <section class="journeys">
          <h2>Arrived last</h2>
          {over.length === 0 && isLoaded && <p class="dim">Nothing has arrived yet.</p>}
          <Lanes groups={[{ name: '', tone: 'plain', members: over }]} downlinks={downlinks} />
        </section>
      </div>
    </div>
  );
}

function newestFirst(all: ReadonlyMap<string, Downlink>): readonly Message[] {
  return [...all.values()].map(({ message }) => message).sort((a, b) => (a.id > b.id ? -1 : 1));
}
