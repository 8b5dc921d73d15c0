/** Responses as bytes: what a load accepts, in which pieces it may arrive, and what it refuses. */
import { describe, expect, it } from 'vitest';
import { BadResponse, ResponseReader } from '../../../src/runner/load/response-reader.js';

const LINE = 'HTTP/1.1 200 OK\r\n';
const EMPTY = `${LINE}Content-Length: 0\r\n\r\n`;
const CHUNKED = `${LINE}Transfer-Encoding: chunked\r\n\r\n`;

/** Reads pieces as one response. Returns its status and body, or its error; undefined if it is not whole. */
function readPieces(pieces: readonly Buffer[], reader = new ResponseReader()): string | undefined {
  reader.begin();
  try {
    for (const piece of pieces) {
      // In the middle of other bytes, as in a buffer that has been used before.
      const used = Buffer.concat([piece, Buffer.from('\r\n\r\n0\r\n\r\nHTTP/1.1 500 old\r\n\r\n')]);
      if (reader.read(used, piece.length)) return `${reader.head?.status} ${reader.body}`;
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof BadResponse)) throw error;
    return error.limit?.message ?? error.code;
  }
}

function read(...texts: readonly string[]): string | undefined {
  return readPieces(texts.map((text) => Buffer.from(text)));
}

/** All cuts of a response into two pieces, and into single bytes. */
function cuts(text: string): Buffer[][] {
  const bytes = Buffer.from(text);
  const inTwo = Array.from({ length: bytes.length - 1 }, (_, at) => [
    bytes.subarray(0, at + 1),
    bytes.subarray(at + 1),
  ]);
  return [[...bytes].map((byte) => Buffer.from([byte])), ...inTwo];
}

describe('a response', () => {
  it.each([
    ['with a length', `${LINE}content-length: 5\r\n\r\nhällo`.replace('5', '6'), '200 hällo'],
    ['without a body', EMPTY, '200 '],
    [
      'in chunks',
      `${CHUNKED}3\r\nab\u00e4\r\n`.replace('3\r\nab', '4\r\nab').concat('1;a=b\r\nc\r\n0\r\n\r\n'),
      '200 abäc',
    ],
    ['with trailers', `${CHUNKED}A\r\n0123456789\r\n0\r\nx-sum: 5\r\n\r\n`, '200 0123456789'],
    ['after early hints', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${LINE}Content-Length: 1\r\n\r\nx`, '200 x'],
    ['after 100 Continue', `HTTP/1.1 100 Continue\r\n\r\n${LINE}Content-Length: 1\r\n\r\nx`, '200 x'],
    ['with status 204', 'HTTP/1.1 204 No Content\r\n\r\n', '204 '],
    ['with status 304, whose length is that of another body', 'HTTP/1.1 304 N\r\ncontent-length: 9\r\n\r\n', '304 '],
    ['without a reason', 'HTTP/1.1 418\r\nContent-Length: 1\r\n\r\nt', '418 t'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', '200 ok'],
    ['with a byte-order mark', `${LINE}Content-Length: 5\r\n\r\n\ufeff[]`, '200 []'],
  ])('%s is read, however it is cut into pieces', (_, text, wanted) => {
    expect(read(text)).toBe(wanted);
    for (const pieces of cuts(text)) expect(readPieces(pieces)).toBe(wanted);
  });

  it('without a length lasts until the end of the connection', () => {
    const reader = new ResponseReader();
    expect(readPieces([Buffer.from(`${LINE}\r\nwhole`)], reader)).toBeUndefined();
    expect([reader.end(), reader.body, reader.stays]).toEqual([true, 'whole', 0]);
  });

  it.each([
    ['in its head', `${LINE}Content-Le`],
    ['before its length', `${LINE}Content-Length: 9\r\n\r\nshort`],
    ['before its last chunk', `${CHUNKED}3\r\nabc\r\n`],
  ])('that ends %s is not whole', (_, text) => {
    const reader = new ResponseReader();
    expect(readPieces([Buffer.from(text)], reader)).toBeUndefined();
    expect(reader.end()).toBe(false);
  });

  it('has its own head although an earlier one was almost equal', () => {
    const reader = new ResponseReader();
    const bodies = ['[]', '[]', '[1]'].map((body) =>
      readPieces([Buffer.from(`${LINE}Content-Length: ${body.length}\r\n\r\n${body}`)], reader),
    );
    expect(bodies).toEqual(['200 []', '200 []', '200 [1]']);
  });

  it('has headers in UTF-8 or Latin-1', () => {
    const reader = new ResponseReader();
    const head = Buffer.concat([
      Buffer.from(`${LINE}X-City: Köln\r\nX-Town: `),
      Buffer.from('Köln\r\n', 'latin1'),
      Buffer.from('Content-Length: 0\r\n\r\n'),
    ]);
    reader.read(head, head.length);
    expect(reader.head?.headers).toMatchObject({ 'x-city': 'Köln', 'x-town': 'Köln' });
  });

  it('has its headers in small letters, and those with several values as lists', () => {
    const reader = new ResponseReader();
    readPieces(
      [Buffer.from(`${LINE}Set-Cookie: a\r\nETag: \t "1" \r\nset-cookie: b\r\nContent-Length: 0\r\n\r\n`)],
      reader,
    );
    expect({ ...reader.head?.headers }).toEqual({ 'set-cookie': ['a', 'b'], etag: '"1"', 'content-length': '0' });
    expect(reader.head?.headers.constructor).toBeUndefined();
  });
});

describe('the text of a response', () => {
  const LATIN = Buffer.from('"Köln"', 'latin1');

  function textOf(type: string, body: Buffer) {
    const reader = new ResponseReader();
    const head = Buffer.from(`${LINE}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`);
    reader.read(Buffer.concat([head, body]), head.length + body.length);
    return [reader.body, reader.unreadable];
  }

  it.each([
    ['text/plain; charset=iso-8859-1', LATIN, '"Köln"'],
    ['application/json;Charset="ISO-8859-1"', Buffer.from('"Köln"'), '"Köln"'],
    ['application/json; charset=us-ascii', Buffer.from('"a\ufffd"'), '"a\ufffd"'],
    ['text/plain; charset=shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['text/plain; charset=utf-16le', Buffer.from('"Köln"', 'utf16le'), '"Köln"'],
    ['application/json; charset=utf-16', Buffer.from('\ufeff"a"', 'utf16le').swap16(), '"a"'],
  ])('of the type %s is decoded', (type, body, wanted) => {
    expect(textOf(type, body)).toEqual([wanted, undefined]);
  });

  it.each([
    ['application/json', LATIN, 'the answer is not UTF-8 text'],
    ['text/plain; charset=utf-16', Buffer.from('a', 'utf16le'), 'its charset is "utf-16"'],
    ['text/plain; charset=klingon', LATIN, 'its charset is "klingon"'],
    ['text/plain; charset=<b>', LATIN, 'its charset is "unknown"'],
    ['text/plain; charset=shift_jis', Buffer.from([0x41, 0x93]), 'its charset is "shift_jis"'],
  ])('of the type %s cannot be read, and the reason says why', (type, body, why) => {
    expect(textOf(type, body)[1]).toContain(why);
  });
});

describe('a connection rests after a response', () => {
  it.each([
    ['for 4 s', EMPTY, 4],
    ['for less than the server says', `${LINE}Keep-Alive: max=9, timeout=12\r\nContent-Length: 0\r\n\r\n`, 10],
    ['at most 10 minutes', `${LINE}Keep-Alive: timeout=999999\r\nContent-Length: 0\r\n\r\n`, 600],
    ['not at all if the server closes it soon', `${LINE}Keep-Alive: timeout=2\r\nContent-Length: 0\r\n\r\n`, 0],
    ['not at all if the server closes it', `${LINE}Connection: x, Close\r\nContent-Length: 0\r\n\r\n`, 0],
    ['not at all after HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', 0],
    ['if HTTP/1.0 keeps it', 'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n', 4],
    ['not at all if more bytes follow', `${EMPTY}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`, 0],
    ['not at all if a body follows that should not exist', 'HTTP/1.1 204 No\r\nContent-Length: 1\r\n\r\nx', 0],
  ])('%s', (_, text, seconds) => {
    const reader = new ResponseReader();
    readPieces([Buffer.from(text)], reader);
    expect(reader.stays).toBe(seconds);
  });
});

describe('a response is refused', () => {
  it.each([
    ['of another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'HPE_INVALID_CONSTANT'],
    ['of HTTP/2', 'HTTP/2 200\r\n\r\n', 'HPE_INVALID_VERSION'],
    ['of HTTP/0.9', '<html>', 'HPE_INVALID_CONSTANT'],
    ['with line feeds alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n', 'HPE_CR_EXPECTED'],
    ['with a carriage return in a header', `${LINE}a: b\rc: d\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
    ['with a blank before a colon', `${LINE}Content-Length : 5\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
    ['with a folded header', `${LINE}a: b\r\n c\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
    ['with a line without a colon', `${LINE}hello\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
    ['with a zero byte in a header', `${LINE}a: \0\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
    ['with a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'HPE_INVALID_STATUS'],
    ['with two lengths', `${LINE}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    ['with a list of lengths', `${LINE}Content-Length: 5, 5\r\n\r\nhello`, 'HPE_INVALID_CONTENT_LENGTH'],
    ['with a negative length', `${LINE}Content-Length: -1\r\n\r\n`, 'HPE_INVALID_CONTENT_LENGTH'],
    [
      'with a length and chunks',
      `${LINE}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'HPE_UNEXPECTED_CONTENT_LENGTH',
    ],
    [
      'with another coding',
      `${LINE}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      'HPE_INVALID_TRANSFER_ENCODING',
    ],
    [
      'with two codings',
      `${LINE}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'HPE_INVALID_TRANSFER_ENCODING',
    ],
    [
      'of HTTP/1.0 with chunks',
      'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'HPE_INVALID_TRANSFER_ENCODING',
    ],
    ['with a chunk without a size', `${CHUNKED}\r\nabc\r\n`, 'HPE_INVALID_CHUNK_SIZE'],
    ['with a size like +3', `${CHUNKED}+3\r\nabc\r\n0\r\n\r\n`, 'HPE_INVALID_CHUNK_SIZE'],
    ['with a size in another notation', `${CHUNKED}0x3\r\nabc\r\n0\r\n\r\n`, 'HPE_INVALID_CHUNK_SIZE'],
    ['with a huge size', `${CHUNKED}11111111111\r\nabc`, 'HPE_INVALID_CHUNK_SIZE'],
    ['with a chunk longer than its size', `${CHUNKED}3\r\nabcd\r\n0\r\n\r\n`, 'HPE_STRICT'],
    ['with a line feed alone after a size', `${CHUNKED}3\nabc\r\n0\r\n\r\n`, 'HPE_CR_EXPECTED'],
    ['with a trailer without a colon', `${CHUNKED}0\r\nGET / HTTP/1.1\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
  ])('%s', (_, text, code) => {
    expect(read(text)).toBe(code);
    for (const pieces of cuts(text)) expect(readPieces(pieces)).toBe(code);
  });

  it.each([
    ['with an endless head', [LINE, ...Array<string>(1000).fill(`a: ${'x'.repeat(100)}\r\n`)], 'HPE_HEADER_OVERFLOW'],
    ['with an endless header', [LINE, 'a: ', ...Array<string>(1000).fill('x'.repeat(100))], 'HPE_HEADER_OVERFLOW'],
    ['with endless early hints', Array<string>(1000).fill('HTTP/1.1 103 E\r\na: bcd\r\n\r\n'), 'HPE_HEADER_OVERFLOW'],
    ['with endless trailers', [`${CHUNKED}0\r\n`, ...Array<string>(9999).fill('a: b\r\n')], 'HPE_HEADER_OVERFLOW'],
    ['with an endless size', [CHUNKED, '1;', ...Array<string>(1000).fill('x'.repeat(100))], 'HPE_HEADER_OVERFLOW'],
    ['with endless extensions', [CHUNKED, ...Array<string>(9999).fill('1;ab\r\nx\r\n')], 'HPE_HEADER_OVERFLOW'],
    ['with a length of 64 MiB and a byte', [`${LINE}Content-Length: 67108865\r\n\r\n`], 'it has more than 64 MiB'],
    [
      'with a body without an end',
      [`${LINE}\r\n`, ...Array<string>(65).fill('x'.repeat(1_048_576))],
      'it has more than 64 MiB',
    ],
    ['that switches protocols', ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n'], 'UND_ERR_SOCKET'],
  ])('%s', (_, pieces, code) => {
    expect(read(...pieces)).toBe(code);
  });
});

it.each([
  ['with a length', `${LINE}Content-Length: ${65 * 1_048_576}\r\n\r\n`, ''],
  ['in one chunk', `${CHUNKED}${(65 * 1_048_576).toString(16)}\r\n`, '\r\n0\r\n\r\n'],
])('a body of 65 MiB %s that is not kept is read without memory, and the next one is kept again', (_, head, end) => {
  const reader = new ResponseReader();
  reader.keeps = false;
  const part = Buffer.alloc(1_048_576, 'x');
  expect(reader.read(Buffer.from(head), head.length)).toBe(false);
  for (let count = 1; count < 65; count++) expect(reader.read(part, part.length)).toBe(false);
  expect(reader.held).toBe(0);
  const last = Buffer.concat([part, Buffer.from(end)]);
  expect([reader.read(last, last.length), reader.body, reader.stays]).toEqual([true, '', 4]);
  reader.keeps = true;
  expect(readPieces([Buffer.from(`${LINE}Content-Length: 1\r\n\r\nx`)], reader)).toBe('200 x');
});

it('a body in chunks of one byte is refused after 100,000 of them', () => {
  const chunks = (count: number) => `${CHUNKED}${'1\r\na\r\n'.repeat(count)}0\r\n\r\n`;
  expect(read(chunks(100_000))).toBe('it has more than 100000 chunks');
  expect(read(chunks(99_999))).toHaveLength(100_003);
});

it('a head with more than 1,000 fields is refused, and fields of one name up to that are a list', () => {
  const heads = (count: number) => `${LINE}${'a: 1\r\n'.repeat(count)}content-length: 0\r\n\r\n`;
  expect(read(heads(1000))).toBe('the head of the response has more than 1000 fields');
  const reader = new ResponseReader();
  expect(readPieces([Buffer.from(heads(999))], reader)).toBe('200 ');
  expect(reader.head?.headers.a).toHaveLength(999);
});

it('a response takes no memory after the next one has begun, whole or cut', () => {
  const reader = new ResponseReader();
  readPieces([Buffer.from(`${LINE}content-length: 3\r\n\r\nabc`)], reader);
  reader.begin();
  expect(reader.body).toBe('');
  readPieces([Buffer.from(`${LINE}content-length: 100000\r\n\r\n${'x'.repeat(90_000)}`)], reader);
  expect(reader.held).toBeGreaterThanOrEqual(90_000);
  reader.begin();
  expect(reader.held).toBe(0);
});
