/** Records of a datagram, and the layer that numbers them. */
import { describe, expect, it } from 'vitest';
import { protect, unprotect } from '../../../src/protocol/dtls/protection.js';
import { CONTENT, DTLS_1_0, DTLS_1_2, encodeRecord, NO_ID, recordsIn } from '../../../src/protocol/dtls/record.js';
import { RecordLayer } from '../../../src/protocol/dtls/record-layer.js';

const KEYS = { key: new Uint8Array(16).fill(1), salt: new Uint8Array(4).fill(2) };
const ID = Uint8Array.of(1, 2, 3, 4);

function record(values: Partial<Parameters<typeof encodeRecord>[0]> = {}) {
  const plain = { type: CONTENT.handshake, version: DTLS_1_2, epoch: 0, sequence: 7, id: NO_ID };
  return { ...plain, body: Uint8Array.of(8, 9), ...values };
}

describe('the records of a datagram', () => {
  it('are read up to a record that is cut off, at whichever byte', () => {
    const whole = encodeRecord(record());
    for (let length = 1; length < whole.length; length++) {
      expect(recordsIn(Buffer.concat([whole, whole.subarray(0, length)]), 4)).toMatchObject([{ sequence: 7 }]);
    }
  });

  it('are read up to a record of another protocol', () => {
    const other = encodeRecord(record({ version: 0x0303 }));
    expect(recordsIn(Buffer.concat([encodeRecord(record()), other, other]), 4)).toMatchObject([
      { sequence: 7, version: DTLS_1_2 },
    ]);
  });

  it('may have the version of DTLS 1.0, as in a first hello', () => {
    expect(recordsIn(encodeRecord(record({ version: DTLS_1_0 })), 4)).toHaveLength(1);
  });

  it('are read from a datagram of 2048 bytes', () => {
    const full = record({ body: new Uint8Array(2048 - 13) });
    expect(recordsIn(encodeRecord(full), 4)).toEqual([full]);
  });
});

describe('a record layer', () => {
  it('numbers plain records from the given first number', () => {
    const layer = new RecordLayer(5);
    const numbers = [1, 2, 3].flatMap(() => recordsIn(layer.plain(CONTENT.alert, ID), 0)).map((one) => one.sequence);
    expect(numbers).toEqual([5, 6, 7]);
  });

  it.each([
    { type: 'handshake', epoch: 0, ownId: false, fits: true },
    { type: 'handshake', epoch: 0, ownId: true, fits: true },
    { type: 'cid', epoch: 0, ownId: true, fits: false },
    { type: 'applicationData', epoch: 1, ownId: false, fits: true },
    { type: 'cid', epoch: 1, ownId: false, fits: false },
    { type: 'applicationData', epoch: 1, ownId: true, fits: false },
    { type: 'cid', epoch: 1, ownId: true, fits: true },
    { type: 'applicationData', epoch: 2, ownId: false, fits: false },
    { type: 'cid', epoch: 2, ownId: true, fits: false },
  ] as const)('with a connection ID: $ownId; a record of type $type in epoch $epoch fits: $fits', (example) => {
    const layer = new RecordLayer();
    if (example.ownId) layer.ownId = ID;
    expect(layer.fits(record({ type: CONTENT[example.type], epoch: example.epoch }))).toBe(example.fits);
  });

  it('treats plain records as new, whatever encrypted records have arrived', () => {
    const layer = new RecordLayer();
    layer.keys = { write: KEYS, read: KEYS };
    const encrypted = protect(KEYS, record({ epoch: 1 }));
    expect(layer.open(encrypted)).toMatchObject({ epoch: 1, newest: true });
    expect([layer.isNew(encrypted), layer.isNew(record())]).toEqual([false, true]);
  });
});

describe('the content of a record with a connection ID', () => {
  it('may be empty', () => {
    const empty = protect(KEYS, record({ type: CONTENT.applicationData, epoch: 1, id: ID, body: NO_ID }));
    expect(unprotect(KEYS, empty)).toEqual({ type: CONTENT.applicationData, plain: Buffer.alloc(0) });
  });

  it('is rejected without a type: zeros alone are padding (RFC 9146, section 4)', () => {
    const padding = protect(KEYS, record({ type: 0, epoch: 1, id: ID, body: new Uint8Array(3) }));
    expect(unprotect(KEYS, padding)).toBeUndefined();
  });
});
