/** Events in words. */
import { expect, it } from 'vitest';
import { eventSentence } from '../../src/trace/event-words.js';
import type { TraceEvent } from '../../src/trace/events.js';

const at = 1000;
const serial = 1;

const WORDS: readonly (readonly [TraceEvent, string])[] = [
  [{ kind: 'device.wake', at, serial, why: 'report' }, 'cellar-1 wakes up for a report'],
  [{ kind: 'net.fault', at, serial, fault: 'outage', way: 'up' }, 'cellar-1 sends a datagram that is hit by outage'],
  [
    { kind: 'downlink.executed', at, serial, type: 'config', print: 'x', ok: false, partly: true },
    'cellar-1 executes a part of a downlink (config)',
  ],
  [
    { kind: 'update.moved', at, serial, update: 'u', state: 'failed', offset: 0, why: 'the old image runs' },
    'cellar-1 has its firmware update failed: the old image runs',
  ],
  [{ kind: 'step', at, serial, step: 's', ok: true, note: '' }, 'cellar-1 gets the step "s"'],
  [{ kind: 'service.process', at, runs: false }, 'the process of the cloud is killed'],
];

it.each(WORDS)('%j is a sentence', (event, words) => {
  expect(eventSentence(event, (serial) => `cellar-${serial}`)).toBe(words);
});
