import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ImageReader, readImage, writeImage } from '../../src/protocol/firmware-image.js';

const BUILD = { bundle: 'com.hardwario.chester.app.clime', name: 'CHESTER Clime', version: 'v9.0.0' };

describe('an image', () => {
  it('has the size that was asked for, and says what it is', () => {
    for (const size of [250, 300, 40_000]) {
      const image = writeImage(BUILD, size);
      expect(image).toHaveLength(size);
      expect(readImage(image)).toEqual(BUILD);
    }
  });

  it('cannot be shorter than its header', () => {
    expect(() => writeImage(BUILD, 100)).toThrow('an image of 100 bytes is shorter than its own header');
  });

  it('is read the same in parts of any size', () => {
    const image = writeImage(BUILD, 1000);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 20 }), (sizes) => {
        const reader = new ImageReader();
        let offset = 0;
        for (const size of [...sizes, 1000]) {
          reader.write(image.subarray(offset, offset + size));
          offset += size;
        }
        expect(reader.finish()).toEqual(BUILD);
      }),
    );
  });

  it('with any byte changed is none, or says something else', () => {
    const image = writeImage(BUILD, 400);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 399 }), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const damaged = Uint8Array.from(image);
        damaged[place] = (damaged[place] ?? 0) ^ change;
        expect(readImage(damaged)).not.toEqual(BUILD);
      }),
    );
  });

  it('is none when it is anything else', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 1200 }), (bytes) => readImage(bytes) === undefined));
    expect(readImage(Buffer.from(`GHOSTFLEET-FIRMWARE 1\n${'x'.repeat(600)}\n\nfiller`))).toBeUndefined();
  });
});
