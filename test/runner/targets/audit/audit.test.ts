/**
 * The findings of the audit of a target. Most tests imitate a cloud with one error, and expect the finding for it. The others
 * imitate correct behaviour, and expect no finding.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/client/client.js';
import { minutes, seconds } from '../../../../src/kernel/time.js';
import { packagedProfiles } from '../../../../src/profile/library.js';
import { encodeBody } from '../../../../src/protocol/encode.js';
import { encodeDown, encodeUp } from '../../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../../src/protocol/uuid.js';
import { TargetAudit } from '../../../../src/runner/targets/audit/audit.js';
import { findClockSpoiling, judgeRules, type RuleTally } from '../../../../src/runner/targets/audit/rules.js';
import type { TraceEvent, UplinkType } from '../../../../src/trace/events.js';

const SERIAL = 2159017985;
const OTHER = 2159017986;
const profile = packagedProfiles().get('clime');
const output = [...packagedProfiles().values()].find(({ encoder }) => encoder !== undefined)?.encoder;
if (profile === undefined || output === undefined) throw new Error('the packaged profiles have no codecs');
const { decoder } = profile;

const clock = { now: 0 };
let audit: TargetAudit;
/** The times of the cloud: here, a time stamp is the time of the run as digits. */
let times: { findMoment(stamp: string): number; error: number };
let ids = 0;

beforeEach(() => {
  clock.now = minutes(10);
  ids = 0;
  times = { findMoment: (stamp: string) => Number(stamp), error: 0 };
  audit = new TargetAudit(clock, packagedProfiles().values(), 1, times);
});

function message(type: string, body: unknown, more: Partial<Message> = {}): Message {
  const id = `m${++ids}`;
  // The audit reads no other fields.
  return { id, type, body, raw: null, created_at: `2026-01-01T00:00:0${ids}Z`, ...more } as Message;
}

function event(kind: TraceEvent['kind'], more: object = {}): void {
  audit.take({ kind, at: clock.now, serial: SERIAL, ...more } as TraceEvent);
}

/** The device makes and sends an uplink. */
function sends(uplink: number, type: UplinkType, bytes: Uint8Array, serial = SERIAL): void {
  audit.noteMade(serial, uplink, bytes);
  event('uplink.sent', { uplink, type, serial });
}

function acknowledged(uplink: number, type: UplinkType = 'data'): void {
  event('uplink.acked', { uplink, type });
}

/** A data message that the cloud shows as `shown(sequence)`. */
function report(sequence: number): Uint8Array {
  return encodeUp({ kind: 'upload-data', hash: decoder.hash, body: Uint8Array.of(0xa1, 0x18, 0xff, sequence) });
}

const shown = (sequence: number) => ({ 255: sequence });

function stored(type: string, body: unknown, more: Partial<Message> = {}): void {
  audit.noteStored(SERIAL, message(type, body, more), clock.now);
}

function broken(listed: readonly Message[] = []): readonly string[] {
  audit.end(listed.map((item) => [SERIAL, item] as const));
  const nameOf = (serial: number) => (serial === SERIAL ? 'clime-0001' : String(serial));
  return judgeRules(audit.listTallies(), nameOf).flatMap(({ passed, line, sentence }) =>
    passed ? [] : [`${line}: ${sentence}`],
  );
}

describe('uplinks of a target', () => {
  it('cause no findings if each is stored once, unaltered and in order', () => {
    sends(1, 'data', report(1));
    acknowledged(1);
    stored('data', shown(1));
    sends(2, 'data', report(2));
    acknowledged(2);
    stored('data', shown(2));
    expect(broken()).toEqual([]);
    expect(judgeRules(audit.listTallies(), String).map(({ sentence }) => sentence)).toEqual(
      Array(4).fill('held in all 2 cases'),
    );
  });

  it('that were acknowledged and are not stored are reported', () => {
    sends(1, 'data', report(1));
    acknowledged(1);
    expect(broken()).toEqual([
      'the target stores every uplink that it acknowledges: violated in the only case, at 10m for clime-0001: ' +
        'data uplink 1 was acknowledged and is not stored',
    ]);
  });

  it('that seem to be missing leave the rule undecided if the clock of the target was corrected by seconds', () => {
    times.error = seconds(10);
    sends(1, 'data', report(1));
    acknowledged(1);
    expect(broken()).toEqual([
      'the target stores every uplink that it acknowledges: not decidable: the clock of the target is not known exactly enough',
    ]);
  });

  it('that are acknowledged leave the rule undecided if the last messages of the target were not read', () => {
    sends(1, 'data', report(1));
    acknowledged(1);
    expect(judgeRules(audit.listTallies(), String)).toEqual([
      expect.objectContaining({ line: 'the target stores every uplink that it acknowledges', undecided: true }),
    ]);
  });

  it('that were never acknowledged may be missing', () => {
    sends(1, 'data', report(1));
    event('uplink.dropped', { uplink: 1, type: 'data', why: 'no answer' });
    expect(broken()).toEqual([]);
  });

  it('with an altered body are reported, but not as lost', () => {
    sends(1, 'data', report(1));
    acknowledged(1);
    stored('data', shown(99));
    expect(broken()).toEqual([
      expect.stringMatching(/what the devices sent: .*data message m1 differs from data uplink 1$/),
    ]);
  });

  it('with an altered answer of the shell are reported', () => {
    const response = { command: 'info serial-number', result: 0, lines: ['serial number: 1'] };
    sends(1, 'shell', encodeUp({ kind: 'upload-shell', messageId: new Uint8Array(16), responses: [response] }));
    stored('shell', { responses: [{ command: 'info serial-number', result: 0, outputs: ['serial number: 2'] }] });
    expect(broken()).toEqual([expect.stringMatching(/shell message m1 differs from shell uplink 1$/)]);
  });

  it('that the device never sent are reported', () => {
    stored('data', shown(7));
    expect(broken()).toEqual([expect.stringMatching(/data message m1 contains what the device never sent$/)]);
  });

  it('that are stored for another device are reported with both devices', () => {
    sends(1, 'data', report(1), OTHER);
    stored('data', shown(1));
    expect(broken()).toEqual([
      expect.stringMatching(/for clime-0001: data message m1 contains what the device 2159017986 sent$/),
    ]);
  });

  it('that are stored twice are reported', () => {
    sends(1, 'data', report(1));
    stored('data', shown(1));
    stored('data', shown(1));
    expect(broken()).toEqual([
      expect.stringMatching(/every uplink once: .*data uplink 1 was stored again, as message m2$/),
    ]);
  });

  it('with an answer of the shell that is stored twice are reported', () => {
    const messageId = new Uint8Array(16);
    sends(
      3,
      'shell',
      encodeUp({ kind: 'upload-shell', messageId, responses: [{ command: 'x', result: 0, lines: [] }] }),
    );
    acknowledged(3, 'shell');
    const body = { responses: [{ command: 'x', result: 0, outputs: [] }] };
    stored('shell', body);
    stored('shell', body);
    expect(broken()).toEqual([
      expect.stringMatching(
        /every uplink once: violated in 1 of 2 cases, .*shell uplink 3 was stored again, as message m2$/,
      ),
    ]);
  });

  it('with identical answers of the shell are distinguished by their message ids', () => {
    const [first, second] = ['0190a6d2-0000-7000-8000-000000000001', '0190a6d2-0000-7000-8000-000000000002'] as const;
    const responses = [{ command: 'x', result: 0, lines: [] }];
    const answer = (id: string) => encodeUp({ kind: 'upload-shell', messageId: uuidBytes(id), responses });
    const inApi = (id: string) => ({ message_id: id, responses: [{ command: 'x', result: 0, outputs: [] }] });
    sends(3, 'shell', answer(first));
    event('device.restart');
    stored('shell', inApi(first));
    clock.now += 1000;
    sends(4, 'shell', answer(second));
    // A copy of the first answer, which the device has started over.
    stored('shell', inApi(first));
    stored('shell', inApi(second));
    stored('shell', inApi(second));
    expect(broken()).toEqual([expect.stringMatching(/shell uplink 4 was stored again, as message m4$/)]);
  });

  it('with an answer of the shell may be stored twice if the device has repeated it', () => {
    const messageId = new Uint8Array(16);
    sends(
      3,
      'shell',
      encodeUp({ kind: 'upload-shell', messageId, responses: [{ command: 'x', result: 0, lines: [] }] }),
    );
    event('device.repeat');
    acknowledged(3, 'shell');
    const body = { responses: [{ command: 'x', result: 0, outputs: [] }] };
    stored('shell', body);
    stored('shell', body);
    expect(broken()).toEqual([]);
  });

  it('that are stored in another order are reported', () => {
    for (const sequence of [1, 2]) {
      sends(sequence, 'data', report(sequence));
      acknowledged(sequence);
    }
    stored('data', shown(2));
    stored('data', shown(1));
    expect(broken()).toEqual([expect.stringMatching(/data uplink 1 is stored after data uplink 2, as message m2$/)]);
  });

  it('are recognised even if the cloud could not decode them and stores their bytes', () => {
    sends(1, 'data', report(1));
    stored('data', null, { raw: 'A118FF01' });
    expect(broken()).toEqual([]);
  });

  it('may be identical if the device has made identical ones', () => {
    for (const uplink of [1, 2]) sends(uplink, 'data', report(1));
    stored('data', shown(1));
    stored('data', shown(1));
    expect(broken()).toEqual([]);
  });
});

/** A user queues a downlink; returns the message. */
function queues(type: string, body: unknown, answered = body): Message {
  const asked = audit.noteAsked(body);
  const queued = message(type, answered);
  audit.noteQueued(SERIAL, queued, asked);
  return queued;
}

const commands = (...lines: readonly string[]) =>
  encodeDown({ kind: 'download-shell', commands: lines, messageId: new Uint8Array(16) });

/** The device polls. */
function polls(): void {
  clock.now += minutes(5);
  event('device.wake', { why: 'poll' });
}

describe('downlinks of a target', () => {
  it('cause no findings if each arrives once, unaltered and in order, and is shown as sent afterwards', () => {
    const first = queues('shell', ['info show']);
    const second = queues('shell', ['info show']);
    for (const { id } of [first, second]) {
      polls();
      audit.noteReceived(SERIAL, commands('info show'));
      audit.noteSent(SERIAL, id, String(clock.now));
    }
    expect(broken([first, second])).toEqual([]);
  });

  it('with identical commands are distinguished by their message ids', () => {
    const ids = ['0190a6d2-0000-7000-8000-000000000001', '0190a6d2-0000-7000-8000-000000000002'] as const;
    const body = ['info show'];
    const both = ids.map((id) => message('shell', body, { id }));
    for (const each of both) audit.noteQueued(SERIAL, each, audit.noteAsked(body));
    const carrying = (id: string) => encodeDown({ kind: 'download-shell', commands: body, messageId: uuidBytes(id) });
    polls();
    audit.noteReceived(SERIAL, carrying(ids[0]));
    event('device.repeat');
    // The confirmation was lost, so the first one comes again.
    audit.noteReceived(SERIAL, carrying(ids[0]));
    expect(audit.lastReceived(SERIAL)).toBe(ids[0]);
    audit.noteReceived(SERIAL, carrying(ids[1]));
    expect(audit.lastReceived(SERIAL)).toBe(ids[1]);
    expect(broken(both)).toEqual([]);
  });

  it('may be lost after trouble, and the next one arrives without it', () => {
    const ids = ['0190a6d2-0000-7000-8000-000000000001', '0190a6d2-0000-7000-8000-000000000002'] as const;
    const body = ['info show'];
    const both = ids.map((id) => message('shell', body, { id }));
    for (const each of both) audit.noteQueued(SERIAL, each, audit.noteAsked(body));
    polls();
    event('device.repeat');
    audit.noteSent(SERIAL, ids[0], String(clock.now));
    audit.noteReceived(SERIAL, encodeDown({ kind: 'download-shell', commands: body, messageId: uuidBytes(ids[1]) }));
    audit.noteSent(SERIAL, ids[1], String(clock.now));
    expect(broken(both)).toEqual([]);
  });

  it('that arrive before the API has answered their request are recognised', () => {
    const asked = audit.noteAsked(['info show']);
    audit.noteReceived(SERIAL, commands('info show'));
    const late = message('shell', ['info show']);
    audit.noteQueued(SERIAL, late, asked);
    expect(broken([late])).toEqual([]);
  });

  it('that exist twice for one request are reported', () => {
    const queued = queues('shell', ['info show']);
    expect(broken([queued, message('shell', ['info show'])])).toEqual([
      expect.stringMatching(
        /one downlink for each .*the request of the downlink m1 was sent once, but the target also has the identical shell downlink m2$/,
      ),
    ]);
  });

  it('that are the answer to two requests are reported', () => {
    const queued = queues('shell', ['info show']);
    audit.noteQueued(SERIAL, queued, audit.noteAsked(['info show']));
    expect(broken([queued])).toEqual([expect.stringMatching(/two requests were answered with the downlink m1$/)]);
  });

  it('of requests without an answer may exist and arrive once, or not at all', () => {
    const known = queues('shell', ['info show']);
    for (const body of [['info show'], ['kernel uptime'], ['modem test']]) audit.noteUnanswered(SERIAL, 'shell', body);
    for (const line of ['info show', 'info show', 'kernel uptime']) {
      polls();
      audit.noteReceived(SERIAL, commands(line));
    }
    expect(broken([known, message('shell', ['info show']), message('shell', ['kernel uptime'])])).toEqual([]);
  });

  it('of a request without an answer that exist or arrive twice are reported', () => {
    audit.noteUnanswered(SERIAL, 'shell', ['info show']);
    for (const _ of [1, 2]) audit.noteReceived(SERIAL, commands('info show'));
    expect(broken([message('shell', ['info show']), message('shell', ['info show'])])).toEqual([
      expect.stringMatching(/there is a shell downlink m2, but it was not queued by the run$/),
      expect.stringMatching(/a shell downlink arrived that was not queued$/),
    ]);
  });

  it('that exist although the run did not queue them are reported, even if it queued none', () => {
    expect(broken([message('shell', ['info show'])])).toEqual([
      expect.stringMatching(
        /violated in the only case, .*there is a shell downlink m1, but it was not queued by the run$/,
      ),
    ]);
  });

  it('that the target accepted and does not have are reported', () => {
    const queued = queues('shell', ['info show']);
    audit.noteMissing(SERIAL, queued.id);
    expect(broken()).toEqual([expect.stringMatching(/the downlink m1, but the target has no such downlink$/)]);
  });

  it('whose request is accepted with an answer that is not a downlink are reported with their device', () => {
    audit.noteUnnamed(SERIAL);
    expect(broken()).toEqual([
      expect.stringMatching(/ for clime-0001: a request was accepted, but its answer is not a downlink/),
    ]);
  });

  it('that are queued with a body other than that of the request are reported', () => {
    const queued = queues('config', ['app config interval-report 60'], ['app config interval-report 61']);
    expect(broken([queued])).toEqual([expect.stringMatching(/config downlink m1 was queued with another body/)]);
  });

  it('that arrive with another content are reported', () => {
    const queued = queues('shell', ['info show']);
    audit.noteReceived(SERIAL, commands('kernel reboot cold'));
    expect(broken([queued])).toEqual([
      expect.stringMatching(/a shell downlink arrived with another content than that of m1$/),
    ]);
  });

  it('that arrive although they were not queued are reported', () => {
    audit.noteReceived(SERIAL, commands('kernel reboot cold'));
    expect(broken()).toEqual([expect.stringMatching(/a shell downlink arrived that was not queued$/)]);
  });

  it('that arrive again without a loss are reported', () => {
    const queued = queues('shell', ['info show']);
    for (let i = 0; i < 2; i++) {
      polls();
      audit.noteReceived(SERIAL, commands('info show'));
    }
    expect(broken([queued])).toEqual([expect.stringMatching(/downlink m1 was delivered again$/)]);
  });

  it('may arrive again after the device has repeated a datagram', () => {
    const queued = queues('shell', ['info show']);
    audit.noteReceived(SERIAL, commands('info show'));
    event('device.repeat', { waited: seconds(5) });
    audit.noteReceived(SERIAL, commands('info show'));
    expect(broken([queued])).toEqual([]);
  });

  it('that overtake an earlier one of their type are reported', () => {
    const listed = [queues('shell', ['info show']), queues('shell', ['cloud state'])];
    audit.noteReceived(SERIAL, commands('cloud state'));
    audit.noteReceived(SERIAL, commands('info show'));
    expect(broken(listed)).toEqual([expect.stringMatching(/downlink m2 arrived before m1, which was queued earlier$/)]);
  });

  it('may overtake one that was cancelled', () => {
    const listed = [queues('shell', ['info show']), queues('shell', ['cloud state'])];
    audit.noteOver(SERIAL, 'm1');
    audit.noteReceived(SERIAL, commands('cloud state'));
    expect(broken(listed)).toEqual([]);
  });

  it('that are shown as sent while the device sleeps are reported', () => {
    const queued = queues('shell', ['info show']);
    clock.now += minutes(1);
    audit.noteSent(SERIAL, queued.id, String(clock.now));
    polls();
    audit.noteReceived(SERIAL, commands('info show'));
    expect(broken([queued])[0]).toMatch(
      /in the only case, at 11m for clime-0001: downlink m1 is in state "sent", but the device has sent nothing/,
    );
  });

  it('that are shown as sent and never arrive are reported', () => {
    const queued = queues('shell', ['info show']);
    polls();
    audit.noteSent(SERIAL, queued.id, String(clock.now));
    expect(broken([queued])).toEqual([
      expect.stringMatching(/downlink m1 was in state "sent" then, but the device never received it$/),
    ]);
  });

  it.each([
    [
      'is violated if the error of the clock cannot explain the time',
      20,
      'in state "sent" then, but the device received it later',
    ],
    ['is not decidable if the error of the clock can explain the time', 40, 'not decidable: the clock of the target'],
  ])('the rule about "sent" %s', (_, error, sentence) => {
    const queued = queues('shell', ['info show']);
    polls();
    audit.noteSent(SERIAL, queued.id, String(clock.now - seconds(41)));
    audit.noteReceived(SERIAL, commands('info show'));
    times.error = seconds(error);
    expect(broken([queued])).toEqual([expect.stringContaining(sentence)]);
    expect(findClockSpoiling(audit.listTallies()) === null).toBe(sentence.startsWith('in'));
  });

  it('are not shown as sent too early because the clock of the target was corrected later', () => {
    const queued = queues('shell', ['info show']);
    polls();
    audit.noteReceived(SERIAL, commands('info show'));
    audit.noteSent(SERIAL, queued.id, String(clock.now));
    times.findMoment = (stamp) => Number(stamp) - seconds(20);
    times.error = seconds(20);
    expect(broken([queued])).toEqual([]);
  });

  it('may be shown as sent without arriving after a loss', () => {
    const queued = queues('shell', ['info show']);
    polls();
    event('net.fault', { fault: 'loss', way: 'down' });
    audit.noteSent(SERIAL, queued.id, String(clock.now));
    expect(broken([queued])).toEqual([]);
  });

  it('with data are compared in the form that the encoder of the device gives them', () => {
    const { hash, fields } = { hash: output.hash, fields: output.document.schema };
    const body = { [fields.find(({ name }) => !name.startsWith('$'))?.name ?? '']: 1 };
    const queued = queues('data', body);
    audit.noteReceived(SERIAL, encodeDown({ kind: 'download-data', hash, body: encodeBody(output, body) }));
    expect(broken([queued])).toEqual([]);
    audit.noteReceived(SERIAL, encodeDown({ kind: 'download-data', hash, body: Uint8Array.of(0xa0) }));
    expect(broken([queued])).toEqual([expect.stringMatching(/a data downlink arrived that was not queued$/)]);
  });
});

describe('the rules of a target', () => {
  const tally = (rule: RuleTally['rule'], checked: number, more: Partial<RuleTally> = {}): RuleTally => ({
    ...{ rule, checked, broken: 0, first: undefined, open: false, unclear: 0, ...more },
  });

  it('have results that are added up over the parts of a run', () => {
    const breach = (at: number) => ({ at, serial: 1, what: `a breach at ${at}` });
    const parts = [
      ...[tally('once', 8), tally('once', 8), tally('once', 8), tally('stored', 3)],
      ...[tally('stored', 2, { open: true }), tally('content', 5, { open: true })],
      tally('content', 4, { broken: 1, first: breach(9000) }),
      tally('content', 6, { broken: 2, first: breach(2000) }),
    ];
    expect(judgeRules(parts, String).map(({ sentence }) => sentence)).toEqual([
      expect.stringContaining('not decidable'),
      'violated in 3 of 15 cases, first at 2s for 1: a breach at 2000',
      'held in all 24 cases',
    ]);
  });
});
