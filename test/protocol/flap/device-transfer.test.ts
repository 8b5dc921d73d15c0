/**
 * The device's side, answer by answer: every case of wire W-20.
 *
 * The caller repeats a packet without an answer: see pair.test.ts. notation.ts explains texts such as `FLxx 0 +5`.
 */
import { describe, expect, it } from 'vitest';
import { type DeviceStep, DeviceTransfer } from '../../../src/protocol/flap/device-transfer.js';
import { successor } from '../../../src/protocol/flap/packet.js';
import { message, packet, show } from './notation.js';

interface Setting {
  /** The number of the next packet. Default 0, as after a boot. */
  readonly sequence?: number;
  readonly bufferSize?: number;
  /** Rule for stale answers. Default: that of CHESTER. */
  readonly stale?: { readonly staleLimit: number; readonly sameSequence: boolean };
}

/** A device whose steps are written as text. */
function fixture({ sequence = 0, bufferSize = 10_240, stale }: Setting = {}) {
  const device = new DeviceTransfer(360, bufferSize, stale);
  for (let next = 0; next !== sequence; next = successor(successor(next))) {
    if (next === 0 && sequence % 2 === 1) next = 1;
    device.startPoll();
    device.answered(packet('FLxx', next === 1 ? 1 : successor(next), next === 1 ? message(1) : undefined));
  }
  return {
    device,
    send: (sent: Uint8Array) => tell(device.startUplink(sent)),
    poll: () => tell(device.startPoll()),
    hear: (flags: string, number: number, data?: Uint8Array) => tell(device.answered(packet(flags, number, data))),
  };
}

/** `FLxx 0 +5`, `FLxx 0 +5 (again: …)`, `done`, `done, poll`, `nothing`, `received 9, then xxAx 2, more`, `failed: …` */
function tell(step: DeviceStep): string {
  switch (step.kind) {
    case 'send':
      return show(step.packet) + (step.again === undefined ? '' : ` (again: ${step.again})`);
    case 'uplink-done':
      return step.poll ? 'done, poll' : 'done';
    case 'poll-done': {
      const { message, finalAck, more } = step;
      const what = finalAck ? `received ${message.length}, then ${show(finalAck)}` : 'nothing';
      return more ? `${what}, more` : what;
    }
    case 'failed':
      return `failed: ${step.why}`;
    default:
      return step satisfies never;
  }
}

/** Expects both counters to be 0: the next transfer begins with 0, and no number counts as the last one received. */
function expectFreshStart({ send, hear }: ReturnType<typeof fixture>): void {
  expect(send(message(3))).toBe('FLxx 0 +3');
  for (let n = 2; n < 20; n++) expect(hear('xxAx', n)).toBe('FLxx 0 +3 (again: unexpected sequence number)');
  expect(hear('xxAx', 1)).toBe('done');
}

describe('an uplink', () => {
  it('of one fragment ends with its acknowledgement', () => {
    const { send, hear } = fixture();
    expect(send(message(360))).toBe('FLxx 0 +360');
    expect(hear('xxAx', 1)).toBe('done');
  });

  it('longer than 360 B is sent in fragments, each after the acknowledgement of the previous one', () => {
    const { send, hear } = fixture({ sequence: 7 });
    expect([send(message(900)), hear('xxAx', 8), hear('xxAx', 10), hear('xxAx', 12)]).toEqual([
      'Fxxx 7 +360',
      'xxxx 9 +360',
      'xLxx 11 +180',
      'done',
    ]);
  });

  it('of exactly two fragments has no empty third', () => {
    const { send, hear } = fixture();
    expect([send(message(720)), hear('xxAx', 1), hear('xxAx', 3)]).toEqual(['Fxxx 0 +360', 'xLxx 2 +360', 'done']);
  });

  it('requests a poll if the last answer had P, regardless of earlier answers', () => {
    const last = fixture();
    expect([last.send(message(500)), last.hear('xxAx', 1), last.hear('xxAP', 3)].at(-1)).toBe('done, poll');
    const first = fixture();
    expect([first.send(message(500)), first.hear('xxAP', 1), first.hear('xxAx', 3)].at(-1)).toBe('done');
  });

  it('wraps: device 4095, server 1, device 2', () => {
    const { send, hear } = fixture({ sequence: 4095 });
    expect([send(message(5)), hear('xxAx', 1), send(message(6))]).toEqual(['FLxx 4095 +5', 'done', 'FLxx 2 +6']);
  });

  it('accepts an answer without A, because the device does not check A', () => {
    const { send, hear } = fixture();
    send(message(5));
    expect(hear('xxxx', 1)).toBe('done');
  });
});

describe('a poll', () => {
  it('without a waiting downlink ends without ACK, and the next packet is N+2', () => {
    const { poll, hear, send } = fixture({ sequence: 7 });
    expect([poll(), hear('FLxx', 8), send(message(5))]).toEqual(['xxxP 7', 'nothing', 'FLxx 9 +5']);
  });

  it('receives a downlink of one fragment and sends the final ACK; the next packet follows directly', () => {
    const { poll, hear, send } = fixture({ sequence: 7 });
    expect([poll(), hear('FLxx', 8, message(9)), send(message(5))]).toEqual([
      'xxxP 7',
      'received 9, then xxAx 9',
      'FLxx 10 +5',
    ]);
  });

  it('accepts a fragment without F as the first one', () => {
    const { poll, hear } = fixture({ sequence: 7 });
    expect([poll(), hear('xLxx', 8, message(9))]).toEqual(['xxxP 7', 'received 9, then xxAx 9']);
  });

  it('acknowledges every fragment of a longer downlink', () => {
    const { poll, hear } = fixture({ sequence: 7 });
    expect([
      poll(),
      hear('Fxxx', 8, message(360)),
      hear('xxxx', 10, message(360)),
      hear('xLxP', 12, message(180)),
    ]).toEqual(['xxxP 7', 'xxAx 9', 'xxAx 11', 'received 900, then xxAx 13, more']);
  });

  it('joins the fragments in the order of their arrival', () => {
    const { device } = fixture();
    const whole = message(500);
    device.startPoll();
    device.answered(packet('Fxxx', 1, whole.subarray(0, 360)));
    const step = device.answered(packet('xLxx', 3, whole.subarray(360)));
    expect(step).toMatchObject({ kind: 'poll-done', message: whole });
  });

  it('begins the message again at a fragment with F', () => {
    const { poll, hear } = fixture();
    expect([poll(), hear('Fxxx', 1, message(360)), hear('FLxx', 3, message(9))]).toEqual([
      'xxxP 0',
      'xxAx 2',
      'received 9, then xxAx 4',
    ]);
  });

  it('accepts a last fragment without data as the end of the message', () => {
    const { poll, hear } = fixture();
    poll();
    hear('Fxxx', 1, message(360));
    expect(hear('xLxx', 3)).toBe('received 360, then xxAx 4');
  });

  it('without a downlink can announce that more are waiting', () => {
    const { poll, hear } = fixture();
    poll();
    expect(hear('FLxP', 1)).toBe('nothing, more');
  });
});

describe('no answer in the time budget', () => {
  it.each(['uplink', 'poll'] as const)('aborts an %s, and both counters become 0', (kind) => {
    const setup = fixture({ sequence: 7 });
    if (kind === 'uplink') setup.send(message(5));
    else setup.poll();
    expect(tell(setup.device.fail('no answer in time'))).toBe('failed: no answer in time');
    expectFreshStart(setup);
  });
});

describe('undecodable base64, short, or wrong hash', () => {
  it.each(['uplink', 'poll'] as const)('aborts an %s, and both counters become 0', (kind) => {
    const setup = fixture({ sequence: 7 });
    if (kind === 'uplink') setup.send(message(5));
    else setup.poll();
    expect(tell(setup.device.answered('unreadable'))).toBe('failed: unreadable answer');
    expectFreshStart(setup);
  });
});

describe('other serial number', () => {
  it.each(['uplink', 'poll'] as const)('aborts an %s, and both counters become 0', (kind) => {
    const setup = fixture({ sequence: 7 });
    if (kind === 'uplink') setup.send(message(5));
    else setup.poll();
    expect(tell(setup.device.answered('foreign'))).toBe('failed: answer for another device');
    expectFreshStart(setup);
  });
});

describe('F or L in uplink ack', () => {
  it.each(['FxAx', 'xLAx', 'FLxx', 'FLAP'])('%s: device aborts, counters 0', (flags) => {
    const setup = fixture({ sequence: 7 });
    setup.send(message(5));
    expect(setup.hear(flags, 8)).toBe('failed: fragment in place of an acknowledgement');
    expectFreshStart(setup);
  });

  it('is recognised before anything else, even with sequence 0', () => {
    const { send, hear } = fixture({ sequence: 7 });
    send(message(5));
    expect(hear('FLxx', 0, message(1))).toMatch('failed');
  });
});

describe('reset', () => {
  it.each([
    ['header 0x0000', 'xxxx'],
    ['header 0x2000', 'xxAx'],
  ])('%s: device restarts the whole message from sequence 0', (_, flags) => {
    const { send, hear } = fixture({ sequence: 7 });
    send(message(500));
    hear('xxAx', 8);
    expect(hear(flags, 0)).toBe('Fxxx 0 +360 (again: reset by the cloud)');
    expect([hear('xxAx', 1), hear('xxAx', 3)]).toEqual(['xLxx 2 +140', 'done']);
  });

  it.each([
    ['header 0x0000', 'xxxx'],
    ['header 0x2000', 'xxAx'],
  ])('%s: device restarts the whole poll from sequence 0', (_, flags) => {
    const { poll, hear } = fixture({ sequence: 7 });
    poll();
    hear('Fxxx', 8, message(360));
    expect(hear(flags, 0)).toBe('xxxP 0 (again: reset by the cloud)');
    expect([hear('Fxxx', 1, message(360)), hear('xLxx', 3, message(5))]).toEqual([
      'xxAx 2',
      'received 365, then xxAx 4',
    ]);
  });

  it('restarts are not limited', () => {
    const { send, hear } = fixture();
    send(message(5));
    for (let i = 0; i < 1000; i++) expect(hear('xxxx', 0)).toBe('FLxx 0 +5 (again: reset by the cloud)');
    expect(hear('xxAx', 1)).toBe('done');
  });
});

describe('stale answer: the previous sequence first, then the right one', () => {
  it('uplink: the same fragment goes out again with the next number, and a restart brings both in step', () => {
    const { send, hear } = fixture();
    expect([send(message(5)), hear('xxAx', 1), send(message(6))].at(-1)).toBe('FLxx 2 +6');
    expect(hear('xxAx', 1)).toBe('FLxx 3 +6 (again: stale answer)');
    // The answer to number 2, which had arrived meanwhile, does not fit afterwards.
    expect(hear('xxAx', 3)).toBe('FLxx 0 +6 (again: unexpected sequence number)');
    expect([hear('xxAx', 1), send(message(7))]).toEqual(['done', 'FLxx 2 +7']);
  });

  it('uplink of many fragments: only the fragment in transfer is sent again', () => {
    const { send, hear } = fixture();
    send(message(900));
    expect(hear('xxAx', 1)).toBe('xxxx 2 +360');
    expect(hear('xxAx', 1)).toBe('xxxx 3 +360 (again: stale answer)');
    expect([hear('xxAx', 4), hear('xxAx', 6)]).toEqual(['xLxx 5 +180', 'done']);
  });

  it('poll: the identical packet goes out again at once', () => {
    const { poll, hear } = fixture();
    poll();
    expect(hear('Fxxx', 1, message(360))).toBe('xxAx 2');
    expect(hear('Fxxx', 1, message(360))).toBe('xxAx 2 (again: stale answer)');
    expect(hear('xLxx', 3, message(5))).toBe('received 365, then xxAx 4');
  });

  it('a poll that reads the answer to the uplink before it', () => {
    const { send, poll, hear } = fixture();
    send(message(5));
    hear('xxAP', 1);
    expect([poll(), hear('xxAP', 1), hear('FLxx', 3, message(9))]).toEqual([
      'xxxP 2',
      'xxxP 2 (again: stale answer)',
      'received 9, then xxAx 4',
    ]);
  });
});

describe('stale answers to one packet, of which at most two are accepted', () => {
  const stale = { staleLimit: 2, sameSequence: true };

  it('uplink: the third stale answer restarts the message, and a good answer begins the count anew', () => {
    const { send, hear } = fixture({ stale });
    expect([send(message(900)), hear('xxAx', 1)].at(-1)).toBe('xxxx 2 +360');
    const again = 'xxxx 2 +360 (again: stale answer)';
    expect([hear('xxAx', 1), hear('xxAx', 1), hear('xxAx', 3)]).toEqual([again, again, 'xLxx 4 +180']);
    const last = 'xLxx 4 +180 (again: stale answer)';
    const restart = 'Fxxx 0 +360 (again: stale answers without end)';
    expect([hear('xxAx', 3), hear('xxAx', 3), hear('xxAx', 3)]).toEqual([last, last, restart]);
  });

  it('poll: the third stale answer restarts the poll, and a good answer begins the count anew', () => {
    const { poll, hear } = fixture({ stale });
    expect([poll(), hear('Fxxx', 1, message(360))].at(-1)).toBe('xxAx 2');
    const again = 'xxAx 2 (again: stale answer)';
    expect([hear('Fxxx', 1), hear('Fxxx', 1), hear('xxxx', 3, message(360))]).toEqual([again, again, 'xxAx 4']);
    const last = 'xxAx 4 (again: stale answer)';
    const restart = 'xxxP 0 (again: stale answers without end)';
    expect([hear('xxxx', 3), hear('xxxx', 3), hear('xxxx', 3)]).toEqual([last, last, restart]);
  });
});

describe('a change of the server in mid-transfer', () => {
  it('uplink: the whole message is sent from sequence 0', () => {
    const { device, send, hear } = fixture({ sequence: 7 });
    expect([send(message(500)), hear('xxAx', 8)].at(-1)).toBe('xLxx 9 +140');
    expect(tell(device.startOver('another address'))).toBe('Fxxx 0 +360 (again: another address)');
    expect([hear('xxAx', 1), hear('xxAx', 3)]).toEqual(['xLxx 2 +140', 'done']);
  });

  it('poll: the poll is sent from sequence 0', () => {
    const { device, poll, hear } = fixture({ sequence: 7 });
    expect([poll(), hear('Fxxx', 8, message(360))].at(-1)).toBe('xxAx 9');
    expect(tell(device.startOver('another address'))).toBe('xxxP 0 (again: another address)');
    expect(hear('FLxx', 1, message(5))).toBe('received 5, then xxAx 2');
  });

  it('leaves no number that counts as stale', () => {
    const { device, send, hear } = fixture({ sequence: 7 });
    expect([send(message(500)), hear('xxAx', 8)].at(-1)).toBe('xLxx 9 +140');
    device.startOver('another address');
    expect(hear('xxAx', 8)).toBe('Fxxx 0 +360 (again: unexpected sequence number)');
  });
});

describe('other unexpected sequence', () => {
  it('uplink: restart', () => {
    const { send, hear } = fixture({ sequence: 7 });
    send(message(500));
    hear('xxAx', 8);
    expect(hear('xxAx', 100)).toBe('Fxxx 0 +360 (again: unexpected sequence number)');
  });

  it('poll: restart', () => {
    const { poll, hear } = fixture({ sequence: 7 });
    poll();
    hear('Fxxx', 8, message(360));
    expect(hear('xLxx', 100, message(5))).toBe('xxxP 0 (again: unexpected sequence number)');
  });
});

describe('data in uplink ack', () => {
  it('ack carries 1 byte: device restarts from sequence 0', () => {
    const { send, hear } = fixture({ sequence: 7 });
    send(message(500));
    expect(hear('xxAx', 8, message(1))).toBe('Fxxx 0 +360 (again: data in an acknowledgement)');
  });
});

describe('A on a downlink fragment', () => {
  it.each(['FLAx', 'xxAx', 'FxAP'])('%s: device aborts, counters 0', (flags) => {
    const setup = fixture({ sequence: 7 });
    setup.poll();
    expect(setup.hear(flags, 8, message(9))).toBe('failed: acknowledgement in place of a fragment');
    expectFreshStart(setup);
  });
});

describe('a downlink into a buffer of 720 B', () => {
  it('of 720 B is received', () => {
    const { poll, hear } = fixture({ bufferSize: 720 });
    poll();
    hear('Fxxx', 1, message(360));
    expect(hear('xLxx', 3, message(360))).toBe('received 720, then xxAx 4');
  });

  it('of 721 B aborts, counters 0', () => {
    const setup = fixture({ bufferSize: 720 });
    setup.poll();
    setup.hear('Fxxx', 1, message(360));
    setup.hear('xxxx', 3, message(360));
    expect(setup.hear('xLxx', 5, message(1))).toBe('failed: message longer than the buffer');
    expectFreshStart(setup);
  });

  it('that begins again with F counts its length from the second F', () => {
    const { poll, hear } = fixture({ bufferSize: 720 });
    poll();
    hear('Fxxx', 1, message(360));
    hear('Fxxx', 3, message(360));
    expect(hear('xLxx', 5, message(360))).toBe('received 720, then xxAx 6');
  });
});

describe('the two counters', () => {
  it('are 0 after a reset of the device (reboot)', () => {
    const setup = fixture({ sequence: 7 });
    setup.send(message(5));
    setup.device.reset();
    expectFreshStart(setup);
  });

  it('continue from one transfer to the next', () => {
    const { send, poll, hear } = fixture();
    const steps = [send(message(5)), hear('xxAP', 1), poll(), hear('FLxx', 3, message(9)), poll(), hear('FLxx', 6)];
    expect(steps).toEqual(['FLxx 0 +5', 'done, poll', 'xxxP 2', 'received 9, then xxAx 4', 'xxxP 5', 'nothing']);
  });
});

it('an answer without a transfer in progress is an error of the caller', () => {
  expect(() => new DeviceTransfer(360, 1000).answered(packet('xxAx', 1))).toThrow('no transfer in progress');
});
