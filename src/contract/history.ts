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

const Buckets = {
  from: Field('Start of the first bucket.', Time),
  bucket_seconds: Field('Length of a bucket.', Type.Number({ exclusiveMinimum: 0 })),
  figures: Type.Object(
    { ...(Object.fromEntries(FIGURES.map((name) => [name, Series])) as Record<Figure, typeof Series>) },
    { description: 'the values of each figure, with one entry for each bucket' },
  ),
};

const SERIES_EXAMPLE = { min: [40, 39], mean: [40, 39.5], max: [40, 40] };
const NO_DELIVERY = { min: [null, null], mean: [null, null], max: [null, null] };
const FIGURES_EXAMPLE = {
  ...{ devices_on_time: SERIES_EXAMPLE, reports_per_minute: SERIES_EXAMPLE, downlinks_waiting: SERIES_EXAMPLE },
  ...{ delivery_p50_seconds: NO_DELIVERY, delivery_p95_seconds: NO_DELIVERY },
};

export const History = Answer(
  'History',
  {
    ...Buckets,
    bucket_seconds: Field('Length of a bucket. It doubles when there are 600.', Type.Number({ exclusiveMinimum: 0 })),
    devices: Field('Number of devices now.', Type.Integer({ minimum: 0 })),
    last_hour: Field('The same figures of the last hour, in buckets of a minute.', Type.Object(Buckets)),
  },
  {
    ...{ from: EXAMPLE.created, bucket_seconds: 10, devices: 40, figures: FIGURES_EXAMPLE },
    last_hour: { from: EXAMPLE.created, bucket_seconds: 60, figures: FIGURES_EXAMPLE },
  },
);
