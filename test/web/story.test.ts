/** The description of a delivery in sentences, derived from the stations that the cloud knows. */
import { describe, expect, it } from 'vitest';
import { storyOf, withStart } from '../../web/src/model/story.js';

const QUEUED = Date.parse('2026-01-01T00:00:00.000Z');
const minute = 60_000;
const entry = (what: string, after: number, detail: string | null = null) => {
  return { id: what, at: new Date(QUEUED + after).toISOString(), what, detail };
};
const message = (down_state: 'pending' | 'sent' | 'expired', down_attempt = 0) => {
  return { down_state, down_attempt, created_at: new Date(QUEUED).toISOString() };
};
const SOON = { last: QUEUED - minute, next: QUEUED + 14 * minute };

describe('the story of a downlink', () => {
  it('divides the time of a delivery into the wait and the exchange', () => {
    const entries = [entry('queued', 0), entry('contact', 24 * minute), entry('sent', 24.5 * minute)];
    const said = storyOf(message('sent', 1), [...entries, entry('answered', 25 * minute)], SOON, QUEUED + 30 * minute);
    expect(said).toEqual([
      'It was delivered after 24m 30s: 24m until the device made contact, 30s for the exchange.',
      'The answer came 30s later.',
    ]);
  });

  it('gives the expected time until the delivery of a pending downlink', () => {
    const said = storyOf(message('pending'), [entry('queued', 0)], SOON, QUEUED + 2 * minute);
    expect(said).toEqual([
      'It has waited 2m.',
      'It waits for the next contact of the device, in about 12m by its rhythm.',
    ]);
  });

  it('says that a device is overdue, and that the cloud cannot know the reason', () => {
    const [, first, second] = storyOf(message('pending'), [entry('queued', 0)], SOON, QUEUED + 20 * minute);
    expect(first).toContain('expected 6m ago');
    expect(second).toContain('The cloud cannot know');
  });

  it.each([
    [entry('waiting', 0, 'the device has not uploaded an encoder'), 0, SOON, 'The cloud holds it back: the device has'],
    [entry('queued', 0), 0, { last: undefined, next: undefined }, 'It waits for the first contact'],
    [entry('offered', minute), 2, SOON, 'The cloud has sent it 2 times'],
    [entry('queued', 0), 0, { last: QUEUED, next: undefined }, 'It waits for the next contact of the device.'],
  ])('names further reasons for the wait of a pending downlink: %o', (latest, attempts, contacts, sentence) => {
    expect(storyOf(message('pending', attempts), [latest], contacts, QUEUED + minute)[1]).toContain(sentence);
  });

  it('begins with its first station, which is a contact for a message of the cloud itself', () => {
    const entries = [entry('contact', 2_470), entry('offered', 2_500), entry('sent', 4_970)];
    expect(storyOf(message('sent', 1), entries, SOON, QUEUED + minute)).toEqual(['It was delivered after 2.5s.']);
  });

  it('begins with its queuing, for which a part of a firmware update has no station', () => {
    const part = { ...message('sent', 1), id: 'a', type: 'firmware' as const };
    const entries = withStart(part, [entry('contact', 20 * minute), entry('sent', 21 * minute)]);
    expect(storyOf(part, entries, SOON, QUEUED + 30 * minute)).toEqual([
      'It was delivered after 21m: 20m until the device made contact, 1m for the exchange.',
    ]);
    expect(withStart({ ...part, created_at: entry('', 20 * minute).at }, entries.slice(1))).toEqual(entries.slice(1));
    expect(withStart(part, [])).toEqual([]);
    expect(withStart({ ...part, type: 'session' }, entries.slice(1))).toEqual(entries.slice(1));
  });

  it('ends with the time of an expiry', () => {
    const entries = [entry('queued', 0), entry('expired', 60 * minute)];
    expect(storyOf(message('expired'), entries, SOON, QUEUED + 90 * minute)).toEqual([
      'It expired after 1h, before its delivery.',
    ]);
  });
});
