/** Workers of a divided run in the thread of the test, which start faster than workers in other threads. */
import { MessageChannel } from 'node:worker_threads';
import type { Crew } from '../../src/runner/divided/crew.js';
import type { FromPart, ToPart } from '../../src/runner/divided/messages.js';
import { beginPart } from '../../src/runner/divided/part.js';
import { PortChannel, sharedNow } from '../../src/runner/divided/threads/port-channel.js';
import { unhurried } from './unhurried.js';

export const crewOfThisThread: Crew = {
  lead: 20,
  sharedNow: async () => sharedNow(),
  engage: async (tasks, apiKey) =>
    tasks.map((task) => {
      const { port1, port2 } = new MessageChannel();
      const channel = new PortChannel<FromPart, ToPart>(port2, () => port2.close());
      beginPart(task, { apiKey, channel, meter: unhurried });
      return new PortChannel<ToPart, FromPart>(port1, () => {});
    }),
  giveUp: async () => {},
  dismiss: async () => {},
  close: async () => {},
};
