/** Replays of recordings, and their predictions. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/kernel/errors.js';
import { describeAccuracy } from '../../../src/record/describe.js';
import { isWithin, listBeyond, type ReplayAccuracy } from '../../../src/record/predict.js';
import type { Recording } from '../../../src/record/recording.js';
import type { Polls } from '../../../src/record/script.js';
import { replayRecording } from '../../../src/runner/replay/replay.js';
import { downlink, recording, uplink } from '../../record/fixtures.js';
import { QUIET } from '../../support/cloud.js';

const replay = (made: Recording, polls: Polls = 'foretold') =>
  replayRecording(made, { polls, log: QUIET, signal: new AbortController().signal });

const text = (made: Recording, accuracy: ReplayAccuracy) =>
  describeAccuracy(made, accuracy, { within: LIMIT, polls: 'foretold' });

const MINUTE = 60_000;
/** Exceeds the error of a round trip time that no delivery shows. */
const LIMIT = 3000;
/** The uploads after the start of a device whose round trip takes 200 ms. */
const START = [
  uplink(0, { type: 'session' }),
  uplink(600, { type: 'decoder' }),
  uplink(800, { type: 'encoder' }),
  uplink(1000, { type: 'config', reportEvery: 60, pollEvery: 0 }),
];
const ANSWER = downlink(0, 400, { type: 'session' });
const reports = (count: number) => Array.from({ length: count }, (_, i) => uplink((i + 1) * MINUTE));

describe('a replay', () => {
  it('predicts deliveries after an uplink, one after another, and after an answer', async () => {
    const made = recording(
      [...START, ...reports(10), uplink(3 * MINUTE + 410, { type: 'shell' })],
      [
        ANSWER,
        downlink(MINUTE + 5000, 2 * MINUTE + 400),
        downlink(MINUTE + 6000, 2 * MINUTE + 600),
        downlink(2 * MINUTE + 5000, 3 * MINUTE + 400, { type: 'shell', answer: 8 }),
        downlink(2 * MINUTE + 6000, 3 * MINUTE + 810, { type: 'shell', size: 20 }),
        downlink(4 * MINUTE + 6000, 5 * MINUTE + 800, { type: 'shell', size: 900 }),
      ],
    );
    const { predictions, errors, missed, invented } = await replay(made);
    expect(predictions.map(({ error }) => Math.abs(error ?? Number.NaN))).toEqual([0, 0, 0, 0, 0, 0]);
    expect([errors?.count, missed, invented]).toEqual([6, 0, 0]);
  });

  it('does not use a poll that is known only from the delivery to be predicted, and reports the error', async () => {
    const made = recording([...START, ...reports(3)], [ANSWER, downlink(MINUTE + 5000, MINUTE + 30_000)]);
    const accuracy = await replay(made);
    expect(accuracy.predictions[1]).toMatchObject({ predicted: 2 * MINUTE + 400, error: 30_400 });
    expect(listBeyond(accuracy, LIMIT).map(({ n }) => n)).toEqual([2]);
    expect(text(made, accuracy)).toContain('FAIL: 1 of 2 predictions not within 3s');
    expect(text(made, accuracy)).toMatch(/ {2}poll +1 +30\.4s +30\.4s +30\.4s\n/);
  });

  it('with the option to replay recorded polls uses a poll that is known only from the delivery to be predicted', async () => {
    const made = recording([...START, ...reports(3)], [ANSWER, downlink(MINUTE + 5000, MINUTE + 30_000)]);
    const { predictions } = await replay(made, 'recorded');
    expect(predictions[1]).toMatchObject({ ledBy: 'poll', error: 0 });
  });

  it('detects a poll by a delivery that follows the answer to the predicted downlink', async () => {
    const made = recording(
      [...START, ...reports(3), uplink(MINUTE + 30_010, { type: 'shell' })],
      [
        ANSWER,
        downlink(MINUTE + 5000, MINUTE + 30_000, { type: 'shell', answer: 6 }),
        downlink(MINUTE + 5500, MINUTE + 30_400),
      ],
    );
    const { predictions } = await replay(made);
    expect(Math.abs(predictions[1]?.error ?? Number.NaN)).toBeLessThan(1000);
  });

  it('uses a poll that is known from another delivery', async () => {
    const polled = [MINUTE + 30_000, MINUTE + 30_200];
    const made = recording(
      [...START, ...reports(3)],
      [ANSWER, ...polled.map((at) => downlink(MINUTE + 5000, at)), downlink(MINUTE + 5500, MINUTE + 30_400)],
    );
    const { errors } = await replay(made);
    expect(errors?.count).toBe(4);
    expect(errors?.worst).toBeLessThan(1000);
  });

  it('polls after the last of several reports that follow one another from the spool, not between them', async () => {
    const stored = [0, 2000, 4000].map((after) => uplink(10 * MINUTE + after));
    const made = recording([...START, ...stored], [ANSWER, downlink(MINUTE, 10 * MINUTE + 4400)], {
      devices: [{ device: 'd1', type: 'clime', firmware: null }],
    });
    const { predictions } = await replay(made);
    expect(predictions[1]?.error).toBe(0);
  });

  it('ignores poll flags for 5 min after a configuration that failed, then polls', async () => {
    const start = START.map((entry) => (entry.type === 'config' ? { ...entry, pollEvery: 120 } : entry));
    const failing = downlink(MINUTE + 5000, 2 * MINUTE + 400, { type: 'config', size: 20 });
    const retried = 7 * MINUTE + 400 + 2500 + 400;
    const made = recording([...start, ...reports(8)], [ANSWER, failing, downlink(3 * MINUTE + 5000, retried)]);
    const { predictions } = await replay(made);
    expect(Math.abs(predictions[2]?.error ?? Number.NaN)).toBeLessThan(1000);
  });

  it('does not follow the poll flag of a report that the device ignored', async () => {
    const made = recording(
      [
        ...[...START, uplink(2 * MINUTE), uplink(10 * MINUTE)],
        ...[410, 820].map((after) => uplink(5 * MINUTE + after, { type: 'shell' })),
      ],
      [
        ANSWER,
        downlink(MINUTE, 5 * MINUTE + 400, { type: 'shell', answer: 6 }),
        downlink(MINUTE + 1000, 5 * MINUTE + 810, { type: 'shell', answer: 7 }),
        downlink(MINUTE + 2000, 5 * MINUTE + 1220, { type: 'shell' }),
      ],
    );
    const { predictions } = await replay(made);
    expect(predictions.slice(1).map(({ error }) => Math.abs(error ?? Number.NaN) < 1000)).toEqual([true, true, true]);
  });

  it('estimates periodic polls from the configuration of a device', async () => {
    const start = START.map((entry) => (entry.type === 'config' ? { ...entry, pollEvery: 45 } : entry));
    const made = recording([...start, ...reports(3)], [ANSWER, downlink(61_000, 93_900)]);
    const { predictions } = await replay(made);
    expect(predictions[1]?.error).toBe(0);
  });

  it('sends no answer before its downlink is delivered', async () => {
    const made = recording(
      [...START, ...reports(3), uplink(MINUTE + 30_010, { type: 'shell' })],
      [ANSWER, downlink(MINUTE + 5000, MINUTE + 30_000, { type: 'shell', answer: 6 })],
    );
    const { predictions } = await replay(made);
    expect(predictions[1]?.predicted).toBe(2 * MINUTE + 400);
  });

  it('holds data back until the encoder is known, and does not offer cancelled downlinks', async () => {
    const made = recording(
      [uplink(MINUTE), uplink(2 * MINUTE, { type: 'encoder' }), uplink(3 * MINUTE)],
      [
        downlink(1000, 2 * MINUTE + 400),
        downlink(2000, 30_000, { type: 'shell', state: 'cancelled' }),
        downlink(2 * MINUTE + 5000, 3 * MINUTE + 400),
      ],
    );
    const { predictions, invented } = await replay(made);
    expect(predictions.map(({ n, error }) => [n, error])).toEqual([
      [1, 0],
      [3, 0],
    ]);
    expect(invented).toBe(0);
  });

  it('reports downlinks that were delivered only in the recording or only in the replay', async () => {
    const made = recording(
      [...START, ...reports(2)],
      [
        ANSWER,
        downlink(MINUTE + 5000, null),
        downlink(3 * MINUTE, 4 * MINUTE),
        downlink(MINUTE, 2 * MINUTE, { type: 'firmware' }),
      ],
    );
    const accuracy = await replay(made);
    expect(accuracy).toMatchObject({ missed: 1, invented: 1, leftOut: 1 });
    expect(listBeyond(accuracy, LIMIT)).toHaveLength(2);
  });

  it('predicts the answer to a session with the round trip of another session, which is stored a moment after it', async () => {
    const starts = [0, 10 * MINUTE].flatMap((at) => START.map((entry) => ({ ...entry, at: at + 5 * entry.at })));
    const answers = [0, 10 * MINUTE].map((at) => downlink(at + 3, at + 2004, { type: 'session' }));
    const { predictions } = await replay(recording(starts, answers));
    expect(predictions.map(({ ledBy }) => ledBy)).toEqual(['uplink', 'uplink']);
    for (const { error } of predictions) expect(Math.abs(error ?? Number.NaN)).toBeLessThan(10);
  });

  it('takes 1.3 s for a round trip that no delivery shows, because the modem checks the connection for 1 s', async () => {
    const { predictions } = await replay(recording(START, [downlink(3, 2004, { type: 'session' })]));
    expect(predictions).toMatchObject([{ ledBy: 'uplink', predicted: 2600 }]);
  });

  it('fails if no downlink was delivered', async () => {
    const made = recording([...START, ...reports(2)], []);
    const accuracy = await replay(made);
    expect(isWithin(accuracy, 1000)).toBe(false);
    expect(text(made, accuracy)).toContain('FAIL: no downlink was delivered, so there are no predictions');
  });

  it('gives the same result every time', async () => {
    const made = recording([...START, ...reports(5)], [ANSWER, downlink(MINUTE + 5000, 2 * MINUTE + 390)]);
    expect(await replay(made)).toEqual(await replay(made));
  });

  it('can be interrupted', async () => {
    const abort = new AbortController();
    const made = recording([...START, ...reports(5)], [ANSWER]);
    abort.abort(new Error('enough'));
    await expect(replayRecording(made, { polls: 'foretold', log: QUIET, signal: abort.signal })).rejects.toThrow(
      'enough',
    );
  });

  it('refuses a recording with more pending downlinks of a device than a cloud keeps', async () => {
    const waiting = Array.from({ length: 1001 }, () => downlink(MINUTE, null, { type: 'shell' }));
    await expect(replay(recording([...START, ...reports(1)], waiting))).rejects.toThrow(
      new UsageError(
        'bad-file',
        'downlink 1001 cannot be replayed: "d1" already has 1000 pending downlinks, the most in a cloud',
      ),
    );
  });
});
