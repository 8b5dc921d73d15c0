import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadRequest, requestOf, type WebhookRequest } from '../../../src/cloud/connectors/request.js';

function made(returned: unknown): WebhookRequest {
  const request = requestOf(returned);
  if (!request) throw new Error('nothing to send');
  return request;
}

const url = 'https://example.com/hook';

describe('the value that main returns', () => {
  it('becomes a POST of JSON by default', () => {
    expect(requestOf({ url, data: { a: 1 } })).toEqual({
      method: 'POST',
      url,
      header: { 'user-agent': 'ghostfleet', 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(made({ url, method: 'put', data: [1] })).toMatchObject({ method: 'PUT', body: '[1]' });
    expect(made({ url, data: 'as it is' })).toMatchObject({ body: 'as it is', header: { 'user-agent': 'ghostfleet' } });
    expect(made({ url, data: 'x' }).header).not.toHaveProperty('content-type');
    for (const data of [0, false]) expect(made({ url, data }).body).toBe(String(data));
    for (const data of [undefined, null]) expect(made({ url, data }).body).toBeNull();
  });

  it('leads to no request if it is null', () => {
    expect(requestOf(null)).toBeNull();
  });

  it('may use the older names headers and body; the newer names take precedence', () => {
    expect(made({ url, headers: { A: '1' }, body: '{}' })).toMatchObject({ header: { a: '1' }, body: '{}' });
    expect(made({ url, headers: { A: '1' }, body: { b: 2 } })).toMatchObject({ body: '{"b":2}' });
    const both = { url, header: { A: 'new' }, headers: { A: 'old' }, data: 'new', body: 'old' };
    expect(made(both)).toMatchObject({ header: { a: 'new' }, body: 'new' });
  });

  it('may set all headers except those of the connection', () => {
    const header = {
      'Content-Type': 'text/plain',
      'X-Number': 5,
      'X-List': ['a', 'b'],
      'X-Null': null,
      Host: 'internal',
      Connection: 'keep-alive',
      'Content-Length': '9999',
      'Transfer-Encoding': 'chunked',
      Expect: '100-continue',
      Upgrade: 'h2c',
      'Proxy-Authorization': 'x',
      'User-Agent': 'mine',
    };
    expect(made({ url, header, data: {} }).header).toEqual({
      'content-type': 'text/plain',
      'x-number': '5',
      'x-list': 'a, b',
      'user-agent': 'mine',
    });
  });

  it('may contain a name and password in the URL, which are sent as a header instead', () => {
    const { url: target, header } = made({ url: 'http://me:p%40ss@example.com/x#y' });
    expect([target, header.authorization]).toEqual(['http://example.com/x', `Basic ${btoa('me:p@ss')}`]);
  });

  it.each([
    [5, 'main returned a number; expected an object or null'],
    [[], 'main returned an array; expected an object or null'],
    [{}, 'main returned no url'],
    [{ url: 'nonsense' }, 'url is not an http or https address'],
    [{ url: 'file:///etc/passwd' }, 'url is not an http or https address'],
    [{ url: { href: url } }, 'url is not an http or https address'],
    [{ url: `https://x/${'y'.repeat(9000)}` }, 'url is not an http or https address'],
    [{ url, method: 'CONNECT' }, 'method "CONNECT" is not one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
    [{ url, method: 1 }, 'method "1" is not one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
    [{ url, header: 'a: b' }, 'header is a string; expected an object'],
    [{ url, header: { 'a b': '' } }, 'header "a b" is not a valid header name'],
    [{ url, header: { 'a\r\nx': '' } }, 'header "a\r\nx" is not a valid header name'],
    [{ url, header: { a: 'secret\r\nx: y' } }, 'header "a" has a forbidden character'],
    [{ url, header: { a: '😀' } }, 'header "a" has a forbidden character'],
    [
      { url, method: { toString: '' } },
      'method "{"toString":""}" is not one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    ],
    [{ url, header: { a: {} } }, 'header "a" is an object; expected a string, a number or a list of them'],
    [
      { url, header: { a: [{ toString: '' }] } },
      'header "a" is an object; expected a string, a number or a list of them',
    ],
    [{ url, header: { a: 'x'.repeat(20_000) } }, 'header is longer than 16384 bytes'],
  ])('is rejected if it is not a request: %j', (returned, message) => {
    expect(() => requestOf(returned)).toThrow(new BadRequest(message));
  });

  it('is either a request that can be sent or rejected with a message, for any value', () => {
    const parts = fc.record(
      { url: fc.oneof(fc.webUrl(), fc.string()), method: fc.jsonValue(), header: fc.jsonValue(), data: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(parts, fc.jsonValue()), (returned) => {
        try {
          const request = requestOf(returned);
          if (request) expect(() => new Headers({ ...request.header })).not.toThrow();
        } catch (error) {
          expect(error).toBeInstanceOf(BadRequest);
        }
      }),
    );
  });
});
