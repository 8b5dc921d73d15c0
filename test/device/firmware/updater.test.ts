/** The device's side of an update, chunk by chunk (wire W-59; behaviour B-33, B-34). */
import { describe, expect, it } from 'vitest';
import type { Reaction } from '../../../src/device/firmware/cloud-thread.js';
import { downloadRequest, Updater } from '../../../src/device/firmware/updater.js';
import { writeImage } from '../../../src/protocol/firmware-image.js';
import { type DownloadFirmware, parseUp, type UpMessage } from '../../../src/protocol/messages/index.js';
import { testDevice } from '../../support/device.js';

const ID = Uint8Array.from({ length: 16 }, (_, i) => i);
const SIZE = 700;
const IMAGE = writeImage({ bundle: 'a', name: 'b', version: 'v2' }, SIZE);

function updater(profile = 'clime', slotSize = 1000) {
  const { device } = testDevice({
    profile,
    change: (known) => ({ ...known, bootloader: { slotSize } }),
    network: () => {},
  });
  return { device, updater: new Updater(device) };
}

function chunk(offset: number, length: number, more: Partial<DownloadFirmware> = {}): DownloadFirmware {
  const data = IMAGE.subarray(offset, offset + length);
  return { kind: 'download-firmware', target: 'app', type: 'chunk', updateId: ID, offset, data, size: SIZE, ...more };
}

/** The message that the device sends; `failed` if it sends none. */
function answer(reaction: Reaction): UpMessage | 'failed' {
  if (reaction.kind !== 'answer') return 'failed';
  return parseUp(reaction.message);
}

const report = (type: string, more: object = {}) => ({
  kind: 'upload-firmware',
  target: 'app',
  type,
  updateId: ID,
  ...more,
});

describe('a chunk', () => {
  it('is answered with the number of bytes accepted so far and the longest chunk that fits into the buffer', () => {
    // Both types have a buffer of 10240 bytes: floor((10240 - 50) / 256) * 256 = 9984.
    expect(answer(updater('clime').updater.take(chunk(0, 256)))).toEqual(
      report('next', { offset: 256, maxLength: 9984 }),
    );
    const { updater: control } = updater('control');
    expect(answer(control.take(chunk(0, 100)))).toEqual(report('next', { offset: 100, maxLength: 9984 }));
  });

  it('at offset 0 restarts the download', () => {
    const { updater: device } = updater();
    device.take(chunk(0, 256));
    device.take(chunk(256, 256));
    expect(answer(device.take(chunk(0, 100)))).toMatchObject({ offset: 100 });
  });

  it('without an earlier chunk at offset 0 is answered with the error of a device that was rebooted', () => {
    const error = 'offset mismatch (device was rebooted)';
    expect(answer(updater().updater.take(chunk(256, 256)))).toEqual(report('error', { error }));
  });

  it('of an image that is longer than the slot is answered with an error', () => {
    const { updater: device } = updater('clime', SIZE - 1);
    expect(answer(device.take(chunk(0, 256)))).toEqual(report('error', { error: 'image size too big' }));
  });

  it.each([
    ['an offset beyond the next one', chunk(300, 100)],
    ['an offset that the device already has', chunk(100, 100)],
    ['more bytes than the image has', chunk(256, 100, { size: 300 })],
    ['a target other than the application', chunk(256, 100, { target: 'net' })],
    ['a type other than chunk', chunk(256, 100, { type: 'first' })],
  ])('with %s is not answered', (_, wrong) => {
    const { updater: device } = updater();
    device.take(chunk(0, 256, wrong.size === SIZE ? {} : { size: wrong.size }));
    expect(answer(device.take(wrong))).toBe('failed');
  });

  it('that completes the image is answered with a swap, and the device reboots 100 ms later', () => {
    const { device, updater: update } = updater();
    update.take(chunk(0, 256));
    const last = update.take(chunk(256, 444));
    expect(answer(last)).toEqual(report('swap', { offset: SIZE }));
    if (last.kind !== 'answer' || last.afterwards === undefined) throw new Error('no restart');
    expect(last.afterwards.delay).toBe(100);
    expect(device.build.version).toBe('v4.0.0');
    last.afterwards.restart();
    expect(device.bootloader?.updateId).toEqual(ID);
    expect(device.busyWith).toBe('the swap of its firmware images');
  });
});

it('a request for an image names it and accepts 256 bytes', () => {
  expect(parseUp(downloadRequest('0123'))).toEqual({
    kind: 'upload-firmware',
    target: 'app',
    type: 'download',
    maxLength: 256,
    firmware: '0123',
  });
});
