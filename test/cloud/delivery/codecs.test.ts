/** Codecs by their hashes: when they are read from the store, which stay in memory, and how many codecs devices can add. */
import { describe, expect, it } from 'vitest';
import { Codecs, MOST_OF_DEVICE, MOST_OF_SPACE } from '../../../src/cloud/delivery/codecs.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import type { CodecRow } from '../../../src/cloud/store/store.js';
import { type CborValue, encodeCbor } from '../../../src/protocol/cbor.js';
import { compileCodec } from '../../../src/protocol/codec.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { testCloud } from '../../support/cloud.js';
import { sessionOf } from './core-fixture.js';

const { hash, bytes } = compileCodec({
  version: 2,
  type: 'decoder',
  name: 'test',
  schema: [{ name: 'voltage', value: [{ name: '$type', value: 'int' }] }],
});

const DEVICE = 'a-device';

function setUp() {
  const store = new MemoryStore();
  const asked: string[] = [];
  const read = store.codec.bind(store);
  store.codec = (wanted) => {
    asked.push(wanted);
    return read(wanted);
  };
  const put = (row: CodecRow) => store.commit([{ kind: 'codec.put', row }]);
  return { store, asked, put, codecs: new Codecs(store) };
}

describe('a codec', () => {
  it('is read from the store once', async () => {
    const { asked, put, codecs } = setUp();
    await put({ hash, document: bytes });
    expect(await codecs.get(hash, DEVICE)).toMatchObject({ hash });
    expect(await codecs.get(hash, DEVICE)).toMatchObject({ hash });
    expect(asked).toEqual([hash]);
  });

  it('that is missing is looked up once, until a device uploads it', async () => {
    const { asked, put, codecs } = setUp();
    expect(await codecs.get(hash, DEVICE)).toBeUndefined();
    expect(await codecs.get(hash, DEVICE)).toBeUndefined();
    expect(asked).toEqual([hash]);
    await put({ hash, document: bytes });
    codecs.stored(hash);
    expect(await codecs.get(hash, DEVICE)).toMatchObject({ hash });
  });

  it('that is uploaded during a lookup is found by the next lookup', async () => {
    const { store, put, codecs } = setUp();
    const { codec } = store;
    let uploaded = () => {};
    const upload = new Promise<void>((done) => {
      uploaded = done;
    });
    store.codec = async () => {
      await upload;
      return undefined;
    };
    const looking = codecs.get(hash, DEVICE);
    await put({ hash, document: bytes });
    codecs.stored(hash);
    uploaded();
    expect(await looking).toBeUndefined();
    store.codec = codec;
    expect(await codecs.get(hash, DEVICE)).toMatchObject({ hash });
  });

  it('that is invalid is read from the store once', async () => {
    const { asked, put, codecs } = setUp();
    await put({ hash, document: Uint8Array.of(0xff) });
    expect(await codecs.get(hash, DEVICE)).toBeUndefined();
    expect(await codecs.get(hash, DEVICE)).toBeUndefined();
    expect(asked).toEqual([hash]);
  });

  it('that is missing is looked up every time if other services use the same database', async () => {
    const { store, asked, codecs } = setUp();
    Object.assign(store, { nodes: {} });
    await codecs.get(hash, DEVICE);
    await codecs.get(hash, DEVICE);
    expect(asked).toEqual([hash, hash]);
  });

  it('that is missing is looked up again after a thousand other missing ones', async () => {
    const { asked, codecs } = setUp();
    const others = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `missing ${from + n}`);
    await codecs.get(hash, DEVICE);
    for (const other of others(1, 1000)) await codecs.get(other, DEVICE);
    await codecs.get(hash, DEVICE);
    expect(asked.filter((wanted) => wanted === hash)).toHaveLength(1);
    // The lookup of hash number 1001 clears the cache.
    await codecs.get('one more', DEVICE);
    await codecs.get(hash, DEVICE);
    expect(asked.filter((wanted) => wanted === hash)).toHaveLength(2);
  });
});

describe('the title of a codec', () => {
  const documentOf = (name: string) =>
    compileCodec({ version: 2, type: 'decoder', name, schema: [{ name: 'voltage', value: null }] }).bytes;

  it('is its name and version, or unknown if the document is invalid', () => {
    const { codecs } = setUp();
    expect(codecs.makeTitle('decoder', 'a', documentOf('clime'))).toEqual({ name: 'clime', version: 2 });
    expect(codecs.makeTitle('decoder', 'b', Uint8Array.of(0xff))).toMatchObject({
      ...{ name: null, version: null, problems: [expect.stringContaining('the codec is not CBOR')] },
    });
  });

  it('has the first 20 mistakes of the document, and the number of the others', () => {
    const schema = Array.from({ length: 30 }, (_, n) => new Map([[`a${n}`, true]]));
    const entries = { version: 2, type: 'decoder', name: 'x', schema };
    const { problems = [] } = setUp().codecs.makeTitle(
      'decoder',
      'c',
      encodeCbor(new Map<string, CborValue>(Object.entries(entries))),
    );
    expect(problems).toHaveLength(21);
    expect([problems[0], problems.at(-1)]).toEqual(['"a0" cannot have the value "true"', 'and 10 more']);
  });

  it('has at most 300 characters of each mistake, also if the names in the document are long', () => {
    const mistakes = Array.from({ length: 30 }, () => new Map([['$x', 1]]));
    const entries = {
      version: 2,
      type: 'decoder',
      name: 'x',
      schema: [new Map([['\u{1f600}'.repeat(4000), mistakes]])],
    };
    const { problems = [] } = setUp().codecs.makeTitle(
      'decoder',
      'c',
      encodeCbor(new Map<string, CborValue>(Object.entries(entries))),
    );
    expect(problems.map((problem) => problem.length)).toEqual([...Array(20).fill(300), 'and 10 more'.length]);
    expect(problems.every((problem) => problem.isWellFormed())).toBe(true);
  });

  it('is read once, until there are a thousand others', () => {
    const { codecs } = setUp();
    codecs.makeTitle('decoder', 'first', documentOf('one'));
    for (let n = 1; n < 1000; n++) codecs.makeTitle('decoder', `hash ${n}`, bytes);
    expect(codecs.makeTitle('decoder', 'first', documentOf('other'))).toMatchObject({ name: 'one' });
    codecs.makeTitle('decoder', 'hash 1000', bytes);
    expect(codecs.makeTitle('decoder', 'first', documentOf('other'))).toMatchObject({ name: 'other' });
  });
});

/** A cloud with a device that uploads codecs; `upload` resolves to whether the codec is stored afterwards. */
async function uploading() {
  const cloud = await testCloud();
  const device = await cloud.addDevice();
  const session = await sessionOf(cloud);
  const upload = async (n: number) => {
    const codec = compileCodec({
      version: 2,
      type: 'decoder',
      name: `codec ${n}`,
      schema: [{ name: 'a', value: null }],
    });
    const document = codec.bytes;
    expect(await cloud.core.accept(session, encodeUp({ kind: 'upload-decoder', hash: codec.hash, document }))).toBe(
      true,
    );
    return (await cloud.store.codec(codec.hash)) !== undefined;
  };
  return { ...cloud, device, upload };
}

it('a device adds at most 100 codecs to the store; further uploads are acknowledged and not stored', async () => {
  const { upload } = await uploading();
  for (let n = 0; n < MOST_OF_DEVICE; n++) expect([n, await upload(n)]).toEqual([n, true]);
  expect(await upload(MOST_OF_DEVICE)).toBe(false);
  expect(await upload(1)).toBe(true);
});

it('all devices of a space together add at most 2,000 codecs to the store', async () => {
  const { store, device, upload } = await uploading();
  const { spaceId, createdAt } = device;
  const row = { family: 'codec-count', id: spaceId, spaceId, key: null, createdAt, dueAt: null };
  await store.commit([{ kind: 'record.put', row: { ...row, body: { count: MOST_OF_SPACE - 1 } } }]);
  expect([await upload(1), await upload(2), await upload(1)]).toEqual([true, false, true]);
});

it('a codec that a device uploads again is not counted again', async () => {
  const { store, device, upload } = await uploading();
  for (let n = 0; n < 3; n++) await upload(1);
  expect((await store.record('codec-count', device.spaceId, device.id))?.body).toEqual({ count: 1 });
});
