/** Limits on the compiled codecs in memory. */
import { describe, expect, it } from 'vitest';
import { CodecCache } from '../../../src/cloud/delivery/codec-cache.js';
import { Codecs } from '../../../src/cloud/delivery/codecs.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { compileCodec } from '../../../src/protocol/codec.js';

/** Codecs of the same size. */
const CODECS = Array.from({ length: 10 }, (_, n) =>
  compileCodec({ version: 2, type: 'decoder', name: `codec ${n}`, schema: [{ name: 'voltage', value: null }] }),
);
const [first] = CODECS as [(typeof CODECS)[number]];
/** The memory of one codec, as the cache estimates it. */
const ONE = 64 * first.bytes.length;

const kept = (cache: CodecCache) => CODECS.flatMap(({ hash }, n) => (cache.get(hash) ? [n] : []));

describe('the cache of codecs', () => {
  it('drops the least recently used codecs when its memory is full', () => {
    const cache = new CodecCache({ bytes: 3 * ONE, perDevice: 100 });
    for (const codec of CODECS.slice(0, 3)) cache.put(codec, 'device');
    cache.get(first.hash);
    for (const codec of CODECS.slice(3, 5)) cache.put(codec, 'device');
    expect(kept(cache)).toEqual([0, 3, 4]);
  });

  it('limits the number of codecs of a device, so that they do not replace those of other devices', () => {
    const cache = new CodecCache({ bytes: 100 * ONE, perDevice: 2 });
    cache.put(first, 'neighbour');
    for (const codec of CODECS.slice(1)) cache.put(codec, 'device');
    expect(kept(cache)).toEqual([0, 8, 9]);
  });

  it('still counts the remaining codecs of a device after it has dropped one of them', () => {
    const cache = new CodecCache({ bytes: 3 * ONE, perDevice: 2 });
    const put = (n: number, loader: string) => {
      const codec = CODECS[n];
      if (codec) cache.put(codec, loader);
    };
    for (const n of [0, 1]) put(n, 'device');
    for (const n of [2, 3]) put(n, 'neighbour');
    // This use makes codec 1 more recent than the codecs of the neighbour.
    cache.get(CODECS[1]?.hash ?? '');
    for (const n of [4, 5]) put(n, 'device');
    expect(kept(cache)).toEqual([3, 4, 5]);
  });

  it('counts a codec once if it is put twice', () => {
    const cache = new CodecCache({ bytes: 2 * ONE, perDevice: 2 });
    for (const codec of [...CODECS.slice(0, 2), ...CODECS.slice(0, 2)]) cache.put(codec, 'device');
    expect(kept(cache)).toEqual([0, 1]);
  });
});

describe('a codec that was dropped', () => {
  it('is read from the store again', async () => {
    const store = new MemoryStore();
    for (const { hash, bytes } of CODECS) await store.commit([{ kind: 'codec.put', row: { hash, document: bytes } }]);
    const codecs = new Codecs(store, new CodecCache({ bytes: ONE, perDevice: 1 }));
    for (const { hash } of [...CODECS, first]) expect(await codecs.get(hash, 'device')).toMatchObject({ hash });
  });
});
