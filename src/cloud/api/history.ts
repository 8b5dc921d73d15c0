/** The figures of a space over time. Keys with tags do not see them: they count all devices of the space. */
import { FIGURES, type Figure, History } from '../../contract/history.js';
import { SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import { operation } from '../http/operation.js';
import type { Family } from './family.js';
import { Share } from './share.js';

const EMPTY = { min: [], mean: [], max: [] };
/** Before the first sample. The cast is safe because each figure has an entry. */
const NOTHING = {
  starts: [],
  series: Object.fromEntries(FIGURES.map((name) => [name, EMPTY])) as Record<Figure, typeof EMPTY>,
};

export const history: Family = (routes, context) => {
  const { store, clock, history } = context;
  routes.get(
    '/spaces/:space_id/history',
    operation({
      tag: 'Spaces',
      id: 'readHistory',
      summary: 'Read the figures of the space since the start of the service',
      description:
        'Minimum, mean and maximum of each figure in buckets: short ones for the last hour, longer ones before.',
      params: SpaceParams,
      response: { 200: History },
    }),
    async (request, reply) => {
      const { spaceId } = request;
      const devices = await store.countDevices(spaceId, {});
      await new Share(context, request, reply).turn();
      const known = history?.of(spaceId);
      const { starts, series } = known?.read() ?? NOTHING;
      return {
        from: isoTime(known?.from ?? clock.wall),
        starts: starts.map((start) => start / 1000),
        devices,
        figures: series,
      };
    },
  );
};
