/** The figures of a space over time. Keys with tags do not see them: they count all devices of the space. */
import { FIGURES, History } from '../../contract/history.js';
import { SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import { seconds } from '../../kernel/time.js';
import { operation } from '../http/operation.js';
import type { Family } from './family.js';

const NOTHING = { min: [], mean: [], max: [] };

export const history: Family = (routes, { store, clock, history }) => {
  routes.get(
    '/spaces/:space_id/history',
    operation({
      tag: 'Spaces',
      id: 'readHistory',
      summary: 'Read the figures of the space since the start of the service',
      description:
        'Minimum, mean and maximum of each figure in at most 600 buckets of equal length, and in those of the last hour.',
      params: SpaceParams,
      response: { 200: History },
    }),
    async ({ spaceId }) => {
      const { whole, lastHour } = history?.of(spaceId) ?? {};
      const buckets = (series: typeof whole) => ({
        from: isoTime(series?.from ?? clock.wall),
        bucket_seconds: (series?.length ?? seconds(10)) / 1000,
        // The cast is safe because each figure has an entry.
        figures: Object.fromEntries(FIGURES.map((name) => [name, series?.read(name) ?? NOTHING])) as never,
      });
      return {
        ...buckets(whole),
        devices: await store.countDevices(spaceId, {}),
        last_hour: buckets(lastHour),
      };
    },
  );
};
