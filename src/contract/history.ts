/** The history of a space: its figures from the start of the service until now. */
import Type from 'typebox';
import { Answer, EXAMPLE, Field, Nullable, Time } from './values.js';

/** Figures that the service samples while it runs. */
export const FIGURES = [
  'devices_on_time',
  'reports_per_minute',
  'downlinks_waiting',
  'delivery_p50_seconds',
  'delivery_p95_seconds',
] as const;
export type Figure = (typeof FIGURES)[number];

const Values = Type.Array(Nullable(Type.Number()));

const Series = Type.Object({
  min: Field('Least value in each bucket; null without a value.', Values),
  mean: Field('Mean value.', Values),
  max: Field('Greatest value.', Values),
});

const SERIES_EXAMPLE = { min: [40, 39], mean: [40, 39.5], max: [40, 40] };
const NO_DELIVERY = { min: [null, null], mean: [null, null], max: [null, null] };

export const History = Answer(
  'History',
  {
    from: Field('Start of the history.', Time),
    starts: Field(
      'Start of each bucket, in seconds since `from`. A bucket ends where the next one begins.',
      Type.Array(Type.Number({ minimum: 0 })),
    ),
    devices: Field('Number of devices now.', Type.Integer({ minimum: 0 })),
    figures: Type.Object(
      { ...(Object.fromEntries(FIGURES.map((name) => [name, Series])) as Record<Figure, typeof Series>) },
      { description: 'the values of each figure, with one entry for each bucket' },
    ),
  },
  {
    ...{ from: EXAMPLE.created, starts: [0, 10], devices: 40 },
    figures: {
      ...{ devices_on_time: SERIES_EXAMPLE, reports_per_minute: SERIES_EXAMPLE, downlinks_waiting: SERIES_EXAMPLE },
      ...{ delivery_p50_seconds: NO_DELIVERY, delivery_p95_seconds: NO_DELIVERY },
    },
  },
);
