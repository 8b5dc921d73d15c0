/** Keeps the log of what happened last, while the console is open. */
import { effect, signal } from '@preact/signals';
import type { DeviceCloudClient } from '../../../src/client/client.js';
import { startOf } from './charts.js';
import type { RunFault } from './faults.js';
import type { Feed } from './feed.js';
import {
  type Happening,
  ofEarlierFaults,
  ofFaults,
  ofHealth,
  ofMessage,
  ofStation,
  withEarlier,
  withHappening,
} from './happenings.js';
import { now } from './now.js';
import { runState } from './run.js';

/** Newest first. */
export const happenings = signal<readonly Happening[]>([]);

/** Number of messages from which the log begins. */
const FIRST = 40;
/** Maximum number of downlinks whose start is remembered. */
const MOST = 2_000;

/** Follows the events of a space. @returns a function that ends it */
export function followHappenings(client: DeviceCloudClient, feed: Feed): () => void {
  let all: readonly Happening[] = [];
  let isDue = false;
  const show = (happened: readonly Happening[]) => {
    all = happened;
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      happenings.value = all;
    }, 250);
  };
  const add = (happening: Happening | undefined) => show(withHappening(all, happening));
  const queued = new Map<string, number>();
  const remember = (id: string, at: string) => {
    queued.set(id, Date.parse(at));
    if (queued.size <= MOST) return;
    // The oldest one: many downlinks are never answered.
    for (const first of queued.keys()) return void queued.delete(first);
  };
  const endFeed = feed.listen({
    message: (message) => {
      if (message.direction === 'down') remember(message.id, message.created_at);
      add(ofMessage(message));
    },
    station: (station) => {
      if (station.what === 'queued') remember(station.message_id, station.at);
      add(ofStation(station, queued.get(station.message_id)));
      if (station.what === 'answered') queued.delete(station.message_id);
    },
    health: (event) => add(ofHealth(event)),
  });
  let faults: readonly RunFault[] | undefined;
  const endFaults = effect(() => {
    const after = runState.value?.faults;
    if (after === undefined) return;
    const start = startOf(runState.value);
    if (faults === undefined && start !== undefined) show(withEarlier(all, ofEarlierFaults(after, start)));
    for (const happening of ofFaults(faults ?? after, after, now.peek())) add(happening);
    faults = after;
  });
  client.messages({ limit: FIRST }).then(
    (messages) => {
      // Events that have arrived meanwhile are newer.
      const seen = all;
      all = [];
      for (const message of [...messages].reverse()) add(ofMessage(message));
      show(withEarlier(all, seen));
    },
    () => undefined,
  );
  return () => {
    endFeed();
    endFaults();
    happenings.value = [];
  };
}
