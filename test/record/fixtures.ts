/** Functions that make recordings and their parts for tests. */
import type { Message } from '../../src/client/client.js';
import type { RecordedDownlink, RecordedUplink, Recording } from '../../src/record/recording.js';

export const FROM = Date.parse('2026-03-02T06:00:00.000Z');

export const uplink = (at: number, more: Partial<RecordedUplink> = {}): Omit<RecordedUplink, 'n'> => ({
  ...{ at, device: 'd1', type: 'data', size: 200, reportEvery: null, pollEvery: null, firmware: null },
  ...more,
});

/** A downlink that was delivered at `ended`; null: not delivered. */
export const downlink = (
  at: number,
  ended: number | null,
  more: Partial<RecordedDownlink> = {},
): Omit<RecordedDownlink, 'n'> => ({
  ...{ at, device: 'd1', type: 'data', size: 20, scheduled: at, answer: null, ended },
  ...(ended === null ? { state: 'pending', attempts: 0 } : { state: 'sent', attempts: 1 }),
  ...more,
});

export function recording(
  uplinks: readonly Omit<RecordedUplink, 'n'>[],
  downlinks: readonly Omit<RecordedDownlink, 'n'>[] = [],
  more: Partial<Recording> = {},
): Recording {
  const numbered = <T extends { readonly at: number }>(entries: readonly T[]) =>
    [...entries].sort((a, b) => a.at - b.at).map((entry, i) => ({ n: i + 1, ...entry }));
  const names = [...new Set([...uplinks, ...downlinks].map(({ device }) => device))].sort();
  return {
    from: FROM,
    until: FROM + 3_600_000,
    cut: null,
    speed: 1,
    devices: names.map((device) => ({ device, type: null, firmware: null })),
    uplinks: numbered(uplinks),
    downlinks: numbered(downlinks),
    values: [],
    ...more,
  };
}

let count = 0;

/** A message as the API returns it. */
export function message(at: number, more: Partial<Message> = {}): Message {
  const created_at = new Date(FROM + at).toISOString();
  const down = more.direction === 'down';
  count++;
  return {
    id: `01957a3b-1c2d-7e3f-8a4b-${String(count).padStart(12, '0')}`,
    created_at,
    type: 'data',
    direction: 'up',
    body: { thermometer: { temperature: 21.5 } },
    device_id: '01957a3b-0000-7000-8000-00000000000a',
    device_name: 'cellar-of-mrs-novak',
    device_serial_number: '2159017985',
    codec_hash: 'cb411dec4d19295c',
    raw: null,
    down_state: down ? 'pending' : null,
    down_state_at: down ? created_at : null,
    down_scheduled_at: down ? created_at : null,
    down_attempt: 0,
    ...more,
  };
}
