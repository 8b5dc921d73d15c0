/** The data of the open space in the console. They are replaced as a whole when another space is opened. */
import { effect, signal } from '@preact/signals';
import { ApiError } from '../../../src/client/client.js';
import { isObject } from '../../../src/kernel/json-text.js';
import { isOver } from '../api/answering.js';
import { seenAt } from '../api/service-time.js';
import { session } from '../api/session.js';
import { Feed } from './feed.js';
import { Fleet } from './fleet.js';
import { followHistory } from './history.js';
import { followHappenings } from './log.js';
import { Run } from './run.js';

export interface SpaceModel {
  readonly fleet: Fleet;
  readonly feed: Feed;
  /** The run behind the service; without one, its requests are rejected. */
  readonly run: Run;
  /** Lines that were entered in terminals, oldest first. On every page, the arrow keys recall them. */
  readonly lines: string[];
  /** The lines that are being typed, by terminal. Only in memory: they may contain secrets. */
  readonly typed: Map<string, { line: string }>;
}

export const space = signal<SpaceModel | undefined>(undefined);
/** Reason for which the devices could not be read or followed; empty without a failure. */
export const loadFailure = signal('');

/** Opens the model of each session, and closes it with the session. */
export function followSession(explain: (error: unknown) => string): void {
  effect(() => {
    const client = session.value?.client;
    if (!client) return;
    const feed = new Feed(client);
    const fleet = new Fleet(client, feed);
    isOver.value = false;
    const failed = (error: unknown) => {
      // The run deletes its devices in another cloud, which is not a part of it: the pages keep what they show.
      if (isOfRunOver(error)) isOver.value = true;
      if (isOver.peek()) return;
      if (space.value?.feed === feed) loadFailure.value = explain(error);
    };
    const load = async () => {
      await fleet.load(failed);
      if (space.value?.feed === feed) loadFailure.value = '';
    };
    const run = new Run();
    space.value = { fleet, feed, run, lines: [], typed: new Map() };
    void run.follow();
    loadFailure.value = '';
    feed.listen({
      message: (message) => {
        seenAt(Date.parse(message.created_at));
        fleet.see(message);
      },
      station: (station) => fleet.follow(station),
      device: ({ device_id, device }) => (device ? fleet.put(device) : fleet.remove(device_id)),
      reset: () => void load().catch(failed),
    });
    const opened = (resumed: boolean) => {
      if (!resumed) void load().catch(failed);
    };
    feed.follow(opened).catch(failed);
    const ended = new AbortController();
    void followHistory(client, ended.signal);
    const endHappenings = followHappenings(client, feed);
    const endWithRun = effect(() => {
      if (!isOver.value) return;
      feed.close();
      fleet.close();
    });
    return () => {
      endWithRun();
      endHappenings();
      ended.abort();
      feed.close();
      fleet.close();
      run.close();
      space.value = undefined;
    };
  });
}

/** Whether the run has rejected a request to another cloud because it is over (src/control/server.ts). */
function isOfRunOver(error: unknown): boolean {
  return error instanceof ApiError && isObject(error.body) && error.body.code === 'run-over';
}

/** The model of a page that is shown only after the sign-in. */
export function model(): SpaceModel {
  const { value } = space;
  if (!value) throw new Error('no space is open');
  return value;
}
