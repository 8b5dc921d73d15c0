import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ImageReader, readImage, writeImage } from '../../src/protocol/firmware-image.js';

const BUILD = { bundle: 'com.hardwario.chester.app.clime', name: 'CHESTER Clime', version: 'v9.0.0' };

describe('an image', () => {
  it('has the requested size, and names its firmware', () => {
    for (const size of [250, 300, 40_000]) {
      const image = writeImage(BUILD, size);
      expect(image).toHaveLength(size);
      expect(readImage(image)).toEqual(BUILD);
    }
  });

  it('may have characters of Latin-1 in its header', () => {
    const build = { ...BUILD, name: 'Zähler' };
    expect(readImage(writeImage(build, 400))).toEqual(build);
  });

  it('is valid only with a header of at most 512 bytes, even if it is read in parts', () => {
    const header = (name: string) => Buffer.from(writeImage({ ...BUILD, name }, 2000)).indexOf('\n\n');
    const fitting = 'x'.repeat(512 - header(''));
    for (const [name, readable] of [
      [fitting, true],
      [`${fitting}x`, false],
    ] as const) {
      const image = writeImage({ ...BUILD, name }, 2000);
      const inParts = (size: number) => {
        const reader = new ImageReader();
        for (let at = 0; at < image.length; at += size) reader.write(image.subarray(at, at + size));
        return reader.finish();
      };
      const expected = readable ? { ...BUILD, name } : undefined;
      expect([1, 400, 513, 514, 2000].map(inParts)).toEqual([expected, expected, expected, expected, expected]);
    }
  });

  it.each(['bundle', 'name', 'version', 'sha256'])('is not valid without the line "%s"', (missing) => {
    const text = Buffer.from(writeImage(BUILD, 400)).toString('latin1');
    const without = text.replace(new RegExp(`${missing}: .*\n`), '');
    expect(readImage(Buffer.from(without, 'latin1'))).toBeUndefined();
  });

  it('has no header lines after the empty line', () => {
    const image = (header: string, filler: string) => {
      const sha256 = createHash('sha256').update(filler).digest('hex');
      return Buffer.from(`GHOSTFLEET-FIRMWARE 1\n${header}\nsha256: ${sha256}\n\n${filler}`);
    };
    expect(readImage(image('bundle: a\nname: b\nversion: c', 'filler'))).toEqual({
      bundle: 'a',
      name: 'b',
      version: 'c',
    });
    expect(readImage(image('bundle: a\nname: b', 'version: c\n'))).toBeUndefined();
  });

  it('cannot be shorter than its header', () => {
    const header = Buffer.from(writeImage(BUILD, 400)).indexOf('\n\n') + 2;
    expect(readImage(writeImage(BUILD, header))).toEqual(BUILD);
    expect(() => writeImage(BUILD, header - 1)).toThrow(RangeError);
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

  it('with any byte changed is not valid, or names another firmware', () => {
    const image = writeImage(BUILD, 400);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 399 }), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const damaged = Uint8Array.from(image);
        damaged[place] = (damaged[place] ?? 0) ^ change;
        expect(readImage(damaged)).not.toEqual(BUILD);
      }),
    );
  });

  it('is not read from other bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 1200 }), (bytes) => readImage(bytes) === undefined));
    expect(readImage(Buffer.from(`GHOSTFLEET-FIRMWARE 1\n${'x'.repeat(600)}\n\nfiller`))).toBeUndefined();
  });
});
