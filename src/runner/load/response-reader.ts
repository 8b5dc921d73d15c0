/**
 * Reads the HTTP/1.1 responses of one connection (RFC 9112), without I/O. It is strict: what another reader could understand
 * differently, such as two lengths, is an error. All parts of a response have limits.
 */
import { isUtf8 } from 'node:buffer';
import { type IncomingHttpHeaders, maxHeaderSize } from 'node:http';
import { LARGEST_ANSWER } from '../../client/http.js';
import { type BodyCoding, codingOf, readBody } from '../../kernel/content-coding.js';
import { MOST_PIECES } from '../../kernel/http-pool.js';
import { OwnLimit } from '../../kernel/own-limit.js';

/** A response that cannot be used, and neither can its connection. */
export class BadResponse extends Error {
  /** The code that undici and its parser, which read the other answers of a run, have for the same error. */
  readonly code: string;
  /** Which limit of ghostfleet the response exceeds, if the server did nothing wrong. */
  readonly limit: OwnLimit | undefined;

  constructor(code: string, limit?: OwnLimit) {
    super(code);
    this.code = code;
    this.limit = limit;
  }
}

/** Maximum number of fields of a head. */
const MOST_FIELDS = 1000;

interface Head {
  /** Without the empty line at its end. */
  readonly text: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Length of the body in bytes, if the head says it. */
  readonly body: number | 'chunked' | 'until the end';
  readonly coding: BodyCoding;
  /** How long the connection may rest after the response, in seconds; 0 if the server closes it. */
  readonly stays: number;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const NO_BYTES = Buffer.alloc(0);

export class ResponseReader {
  /** Head of the response that is being read, or has been read; undefined before its end has arrived. */
  head: Head | undefined;
  /** Whether the body is kept; set it before a response. A body that is not kept may have any length. */
  keeps = true;
  /** Body of a whole response, if it is kept. */
  body = '';
  /** Why the body cannot be read; undefined if it can. */
  unreadable: string | undefined;
  /** Whether bytes have arrived that do not belong to the response. */
  #excess = false;
  /** The head of the last response: heads of one connection are mostly equal. */
  #known: Head | undefined;
  #next: 'head' | 'size' | 'data' | 'end of data' | 'trailer' = 'head';
  /** Bytes of the body, or of the chunk, that have not arrived. */
  #left = 0;
  #chunks = 0;
  /** Part of a head, or of a line between chunks. */
  #text = '';
  /** Bytes that heads, trailers and extensions of chunks may still have. */
  #room = maxHeaderSize;
  /** Body of a response that arrives in several pieces: the first `#filled` bytes. */
  #bytes = NO_BYTES;
  #filled = 0;

  /** Makes the reader ready for the next response. Call it after the use of a response: its body then takes no memory. */
  begin(): void {
    this.head = undefined;
    this.#next = 'head';
    this.#text = '';
    this.#room = maxHeaderSize;
    this.body = '';
    this.unreadable = undefined;
    this.#bytes = NO_BYTES;
    this.#filled = 0;
    this.#chunks = 0;
    this.#excess = false;
  }

  /** How long the connection can carry another request after the response, in seconds. */
  get stays(): number {
    return this.#excess ? 0 : (this.head?.stays ?? 0);
  }

  /** Bytes of memory for a body that is not whole. */
  get held(): number {
    return this.#bytes.length;
  }

  /**
   * Reads the first `length` bytes; they may change afterwards.
   * @returns whether the response is whole
   * @throws BadResponse
   */
  read(bytes: Buffer, length: number): boolean {
    let at = 0;
    if (this.head === undefined) {
      at = this.#readHead(bytes, length);
      if (this.head === undefined) return false;
    }
    const { body } = this.head as Head;
    const end = body === 'chunked' ? this.#readChunks(bytes, at, length) : this.#readBody(bytes, at, length);
    if (end === undefined) return false;
    this.#excess = end < length;
    return true;
  }

  /** The connection has ended. @returns whether the response is whole */
  end(): boolean {
    if (this.head?.body !== 'until the end') return false;
    this.#takeBody();
    return true;
  }

  /** Returns where the body begins. */
  #readHead(bytes: Buffer, length: number): number {
    for (let at = 0; ; ) {
      const found = this.#text === '' ? bytes.indexOf(END_OF_HEAD, at) : -1;
      let text: string;
      if (found >= 0 && found + END_OF_HEAD.length <= length) {
        text = bytes.toString('latin1', at, found);
        at = found + END_OF_HEAD.length;
      } else {
        const before = this.#text.length;
        const all = this.#text + bytes.toString('latin1', at, length);
        const end = all.indexOf('\r\n\r\n', Math.max(0, before - 3));
        if (end < 0) return this.#keepPart(all, before);
        this.#text = '';
        text = all.slice(0, end);
        at += end + END_OF_HEAD.length - before;
      }
      this.#use(text.length);
      const head = this.#known?.text === text ? this.#known : parseHead(text);
      // A client that expects no switch of protocols gets none.
      if (head.status === 101) throw new BadResponse('UND_ERR_SOCKET');
      if (head.status < 200) continue;
      this.#known = head;
      this.head = head;
      this.#next = 'size';
      this.#left = typeof head.body === 'number' ? head.body : 0;
      if (this.keeps && this.#left > LARGEST_ANSWER) throw makeTooLarge();
      return at;
    }
  }

  /** Keeps the beginning of a head, if it can be one. */
  #keepPart(text: string, before: number): number {
    if (text.length > this.#room) throw new BadResponse('HPE_HEADER_OVERFLOW');
    if (!text.startsWith(VERSION) && !VERSION.startsWith(text)) throw new BadResponse(faultOf(text));
    for (let at = text.indexOf('\n', before); at >= 0; at = text.indexOf('\n', at + 1)) {
      if (text[at - 1] !== '\r') throw new BadResponse('HPE_CR_EXPECTED');
    }
    this.#text = text;
    return 0;
  }

  #use(count: number): void {
    this.#room -= count;
    if (this.#room < 0) throw new BadResponse('HPE_HEADER_OVERFLOW');
  }

  /** Returns where the body ends; undefined if it ends later. */
  #readBody(bytes: Buffer, from: number, length: number): number | undefined {
    const isOpen = this.head?.body === 'until the end';
    const end = isOpen ? length : Math.min(length, from + this.#left);
    if (!isOpen && this.#filled === 0 && end - from === this.#left) {
      this.#takeText(bytes, from, end);
      return end;
    }
    this.#append(bytes, from, end);
    if (isOpen) return undefined;
    this.#left -= end - from;
    if (this.#left > 0) return undefined;
    this.#takeBody();
    return end;
  }

  #readChunks(bytes: Buffer, from: number, length: number): number | undefined {
    let at = from;
    while (at < length) {
      if (this.#next === 'data') {
        const end = Math.min(length, at + this.#left);
        this.#append(bytes, at, end);
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#next = 'end of data';
        continue;
      }
      const feed = bytes.indexOf(LINE_FEED, at);
      const isWhole = feed >= 0 && feed < length;
      const line = this.#text + bytes.toString('latin1', at, isWhole ? feed + 1 : length);
      if (line.length > this.#room) throw new BadResponse('HPE_HEADER_OVERFLOW');
      this.#text = isWhole ? '' : line;
      if (!isWhole) return undefined;
      at = feed + 1;
      if (!line.endsWith('\r\n')) throw new BadResponse('HPE_CR_EXPECTED');
      if (this.#readLine(line.slice(0, -2))) {
        this.#takeBody();
        return at;
      }
    }
    return undefined;
  }

  /** Reads a line between or after chunks. Returns whether it is the last one. */
  #readLine(line: string): boolean {
    switch (this.#next) {
      case 'end of data':
        if (line !== '') throw new BadResponse('HPE_STRICT');
        this.#next = 'size';
        return false;
      case 'size': {
        const [, size, extension = ''] = CHUNK.exec(line) ?? [];
        if (size === undefined) throw new BadResponse('HPE_INVALID_CHUNK_SIZE');
        this.#use(extension.length);
        this.#chunks++;
        if (this.#chunks > MOST_PIECES) {
          throw beyond('answer-chunks', `it has more than ${MOST_PIECES} chunks`);
        }
        this.#left = Number.parseInt(size, 16);
        this.#next = this.#left === 0 ? 'trailer' : 'data';
        return false;
      }
      default:
        if (line === '') return true;
        this.#use(line.length);
        readField(line);
        return false;
    }
  }

  #append(bytes: Buffer, from: number, end: number): void {
    if (!this.keeps) return;
    const filled = this.#filled + end - from;
    if (filled > LARGEST_ANSWER) throw makeTooLarge();
    if (filled > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(filled, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#filled);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#filled, from, end);
    this.#filled = filled;
  }

  #takeBody(): void {
    this.#takeText(this.#bytes, 0, this.#filled);
    this.#bytes = NO_BYTES;
  }

  #takeText(bytes: Buffer, from: number, end: number): void {
    if (!this.keeps) return;
    const { text, unreadable } = readBody(bytes, from, end, (this.head as Head).coding);
    // The typed client and HTTP devices accept a byte-order mark as well: undici removes it.
    this.body = text.startsWith('\ufeff') ? text.slice(1) : text;
    this.unreadable = unreadable;
  }
}

function makeTooLarge(): BadResponse {
  return beyond('answer-size', `it has more than ${LARGEST_ANSWER / 1_048_576} MiB`);
}

function beyond(code: string, limit: string): BadResponse {
  return new BadResponse('UND_ERR_RES_EXCEEDED_MAX_SIZE', new OwnLimit(code, limit));
}

const LINE_FEED = 10;
/** In seconds, as undici has them: without `Keep-Alive`; with it; and how much earlier than the server the connection ends. */
const LONGEST_REST = 4;
const LONGEST_REST_ASKED = 600;
const MARGIN = 2;
const VERSION = 'HTTP/1.';
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const FIELD = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** The size of a chunk, and its extensions. Ten digits are more than {@link LARGEST_ANSWER}. */
const CHUNK = /^([\da-f]{1,10})(|[\t ]*;[\t\x20-\x7e\x80-\xff]*)$/i;

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor, code] = STATUS_LINE.exec(first) ?? [];
  if (code === undefined) throw new BadResponse(faultOf(first));
  const status = Number(code);
  // Without a prototype: a name such as "constructor" is a header or nothing.
  const headers: IncomingHttpHeaders = Object.create(null);
  if (lines.length > MOST_FIELDS) {
    throw beyond('answer-fields', `the head of the response has more than ${MOST_FIELDS} fields`);
  }
  for (const line of lines) {
    const [name, value] = readField(line);
    const before = headers[name];
    if (Array.isArray(before)) before.push(value);
    else headers[name] = before === undefined ? value : [before, value];
  }
  const body = status < 200 || status === 204 || status === 304 ? 0 : bodyOf(headers, minor === '1');
  const ends = body === 'until the end' || endsAfter(headers, minor === '1');
  return { text, status, headers, body, coding: codingOf(headers), stays: ends ? 0 : rest(headers) };
}

/** What is wrong with a first line. */
function faultOf(line: string): string {
  if (!line.startsWith('HTTP/')) return 'HPE_INVALID_CONSTANT';
  return /^HTTP\/1\.[01] /.test(line) ? 'HPE_INVALID_STATUS' : 'HPE_INVALID_VERSION';
}

function endsAfter({ connection }: IncomingHttpHeaders, isUsuallyKept: boolean): boolean {
  const options = [connection ?? ''].flat().join(',').toLowerCase().split(',');
  const has = (wanted: string) => options.some((option) => option.trim() === wanted);
  return isUsuallyKept ? has('close') : !has('keep-alive');
}

/** A server may close a resting connection; a request that meets this fails. So the connection is not used for quite as long. */
function rest(headers: IncomingHttpHeaders): number {
  const [, demanded] = /(?:^|[\s,;])timeout=(\d{1,6})/i.exec(String(headers['keep-alive'] ?? '')) ?? [];
  return demanded === undefined ? LONGEST_REST : Math.max(0, Math.min(LONGEST_REST_ASKED, Number(demanded) - MARGIN));
}

function readField(line: string): [name: string, value: string] {
  const [, name, value] = FIELD.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new BadResponse('HPE_INVALID_HEADER_TOKEN');
  let [from, end] = [0, value.length];
  while (isBlank(value[from])) from++;
  while (end > from && isBlank(value[end - 1])) end--;
  return [name.toLowerCase(), inUtf8(value.slice(from, end))];
}

/** Headers are Latin-1, but many servers write them in UTF-8. */
function inUtf8(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}

function isBlank(sign: string | undefined): boolean {
  return sign === ' ' || sign === '\t';
}

/** The length of a body. It must be said only once, and in one way (RFC 9112, 6.3). */
function bodyOf(headers: IncomingHttpHeaders, mayBeChunked: boolean): Head['body'] {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  if (coding !== undefined) {
    const isChunked = typeof coding === 'string' && coding.toLowerCase() === 'chunked';
    if (length !== undefined) throw new BadResponse('HPE_UNEXPECTED_CONTENT_LENGTH');
    if (!isChunked || !mayBeChunked) throw new BadResponse('HPE_INVALID_TRANSFER_ENCODING');
    return 'chunked';
  }
  if (length === undefined) return 'until the end';
  if (typeof length !== 'string') throw new BadResponse('HPE_UNEXPECTED_CONTENT_LENGTH');
  if (!/^\d{1,15}$/.test(length)) throw new BadResponse('HPE_INVALID_CONTENT_LENGTH');
  return Number(length);
}
