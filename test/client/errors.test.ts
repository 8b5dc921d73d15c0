/** Errors of the client: answers of a service, and services that do not answer. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, DeviceCloudClient, type Gate } from '../../src/client/client.js';
import { UsageError } from '../../src/kernel/errors.js';
import { KEY } from '../cloud/api/service.js';
import { against, closeAll, closeLater, connected, device, failure, listening, MESSAGE } from './services.js';

afterEach(closeAll);

describe('an ApiError', () => {
  it('has the status, the body and the message of the service', async () => {
    const { client, spaceId } = await connected();
    await client.createDevice(device(1));
    const error = (await failure(client.createDevice(device(1)))) as ApiError;
    expect(error).toBeInstanceOf(ApiError);
    expect([error.status, error.method, error.path]).toEqual([409, 'POST', `/v2/spaces/${spaceId}/devices`]);
    expect(error.body).toMatchObject({ statusCode: 409 });
    expect(error.message).toBe(
      `POST /v2/spaces/${spaceId}/devices was answered with 409: another device has this serial number or this claim token`,
    );
  });

  it('never contains the key, even if the service repeats it', async () => {
    const client = await against((request, response) => {
      response.statusCode = 401;
      response.end(JSON.stringify({ message: `what is ${request.headers['x-api-key']}?` }));
    });
    const error = (await failure(client.space())) as ApiError;
    expect(error.message).toContain('what is ***?');
    expect(JSON.stringify(error.body)).not.toContain(KEY);
  });

  it.each([
    ['escapes of JSON', (key: string) => [...key].map((sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join('')],
    ['nothing', (key: string) => key],
  ])('never contains the key in a value or a name of an answer in which %s hides it', async (_, write) => {
    const client = await against(({ headers }, response) => {
      const key = write(String(headers['x-api-key']));
      response.writeHead(401).end(`{"message":"what is ${key}?","more":[{"${key}":"a ${key}"}]}`);
    });
    const error = (await failure(client.space())) as ApiError;
    expect(error.message).toContain('what is ***?');
    expect(error.body).toEqual({ message: 'what is ***?', more: [{ '***': 'a ***' }] });
  });

  it('never contains the password of the address, even if the service repeats its header', async () => {
    const address = new URL(
      await listening(({ headers }, response) => response.writeHead(401).end(`bad ${headers.authorization}`)),
    );
    address.username = 'bob';
    address.password = 'sesame';
    const error = await DeviceCloudClient.connect({ baseUrl: String(address), apiKey: KEY }).catch(String);
    expect(error).toContain('was answered with 401: bad Basic ***');
  });

  it('has the text of an answer that is not JSON in its message', async () => {
    const client = await against((_, response) => {
      response.statusCode = 404;
      response.end('not found');
    });
    expect((await failure(client.device('x'))).message).toBe(
      'GET /v2/spaces/s/devices/x was answered with 404: not found',
    );
  });

  it('is thrown for JSON that is not a valid answer', async () => {
    const baseUrl = await listening((_, response) => response.end('{"a":1}'));
    const connecting = DeviceCloudClient.connect({ baseUrl, apiKey: KEY });
    await expect(connecting).rejects.toThrow(
      'GET /v2/spaces was answered with 200: the answer is not a list of objects with an "id"',
    );
  });

  it('is thrown for an answer with status 200 that is not JSON', async () => {
    const client = await against((_, response) => response.end('<html>'));
    const error = (await failure(client.space())) as ApiError;
    expect([error.status, error.body]).toEqual([200, 'the answer is not JSON']);
  });

  it.each(['', 'null', '{}'])('is thrown for the answer %j to a downlink', async (answer) => {
    const client = await against((_, response) => response.end(answer));
    const error = (await failure(client.sendCommands('d', ['info show']))) as ApiError;
    expect(error.message).toMatch(/^POST \S+\/commands was answered with 200: the answer is not a message: /);
  });

  it.each([
    ['no device', { device_id: undefined }, '"device_id" is not a text'],
    ['no time', { created_at: undefined }, '"created_at" is not a time'],
    ['a time that is not one', { created_at: 'soon' }, '"created_at" is not a time'],
    ['a time long before all services', { created_at: '-271821-04-20' }, '"created_at" is not a time'],
    ['a time of another type', { created_at: 5 }, '"created_at" is not a time'],
    ['a direction of another type', { direction: {} }, '"direction" is not a text'],
    ['a name of another type', { device_name: {} }, '"device_name" is not a text'],
    ['a raw body of another type', { raw: [] }, '"raw" is not a text'],
    ['an invalid time of its state', { down_state_at: 'zzz' }, '"down_state_at" is not a time'],
    ['attempts as a text', { down_attempt: '1' }, '"down_attempt" is not a number'],
  ])('is thrown for a message that has %s', async (_, wrong, problem) => {
    const client = await against((request, response) => {
      const message = { ...MESSAGE, ...wrong };
      response.end(JSON.stringify(request.url?.includes('/messages?') ? [MESSAGE, message] : message));
    });
    const calls = [client.message('m'), client.messages({ limit: 2 }), client.sendCommands('d', ['info show'])];
    for (const call of calls) expect((await failure(call)).message).toContain(`is not a message: ${problem}`);
  });
});

describe('a compressed answer', () => {
  it('is not asked for', async () => {
    const client = await against((request, response) => {
      response.end(JSON.stringify({ id: request.headers['accept-encoding'] }));
    });
    expect((await client.space()).id).toBe('identity');
  });

  it.each([
    ['gzip', gzipSync, 200, 'Content-Encoding: gzip'],
    ['BR', brotliCompressSync, 404, 'Content-Encoding: br'],
    ['\tx; y', gzipSync, 200, 'Content-Encoding: an unknown coding'],
  ])('is an ApiError that names the coding: %s', async (coding, compress, status, named) => {
    const client = await against((_, response) => {
      response.writeHead(status, { 'content-encoding': coding });
      response.end(compress('{"id":"s"}'));
    });
    const error = await failure(client.space());
    expect(error.message).toContain(`was answered with ${status}: the answer is compressed (${named})`);
  });

  it('is read if it is JSON in spite of its header', async () => {
    const client = await against((_, response) => {
      response.writeHead(200, { 'content-encoding': 'utf-8' });
      response.end('{"id":"s"}');
    });
    expect((await client.space()).id).toBe('s');
  });
});

describe('a redirect', () => {
  it.each([
    [301, 'http://other.example:8080/v2/spaces/s', '"http://other.example:8080/v2/spaces/s"'],
    [308, 'https://eva:secret@other.example/x?token=secret', '"https://other.example/x"'],
    [302, `http://other.example/${KEY}`, '"http://other.example/***"'],
  ])('%i is not followed; the ApiError names its destination without secrets', async (status, location, shown) => {
    const client = await against((_, response) => {
      response.writeHead(status, { location });
      response.end();
    });
    const { message } = await failure(client.space());
    expect(message).toBe(
      `GET /v2/spaces/s was answered with ${status}: a redirect to ${shown} was not followed, and the API key was not sent there; if the service is there, use its address`,
    );
  });

  it('to a path names the whole address', async () => {
    const client = await against((_, response) => {
      response.writeHead(307, { location: '/login' });
      response.end();
    });
    expect((await failure(client.space())).message).toMatch(/a redirect to "http:\/\/127\.0\.0\.1:\d+\/login" was not/);
  });

  it('without a Location is reported as such', async () => {
    const client = await against((_, response) => {
      response.statusCode = 302;
      response.end();
    });
    expect((await failure(client.space())).message).toContain('a redirect without a valid Location was not followed');
  });
});

describe('a ConnectionError', () => {
  it('is thrown if the connection is refused', async () => {
    const client = new DeviceCloudClient({ baseUrl: 'http://127.0.0.1:1', apiKey: KEY, spaceId: 's' });
    closeLater(() => client.close());
    const error = (await failure(client.space())) as ConnectionError;
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.code).toBe('ECONNREFUSED');
    expect(error.message).toContain('GET /v2/spaces/s got no answer from http://127.0.0.1:1: ');
    expect(error.message).not.toContain(KEY);
  });

  it('is thrown if the connection breaks or the request times out', async () => {
    const broken = await against((request) => request.socket.destroy());
    expect(await failure(broken.space())).toBeInstanceOf(ConnectionError);
    const silent = await against(() => {}, 500);
    expect(((await failure(silent.space())) as ConnectionError).code).toBe('UND_ERR_HEADERS_TIMEOUT');
  });

  it('has a message of one line in plain words', async () => {
    const reason = async (baseUrl: string) => {
      const client = new DeviceCloudClient({ baseUrl, apiKey: KEY, spaceId: 's', timeout: 500 });
      closeLater(() => client.close().catch(() => undefined));
      return (await failure(client.space())).message.split(`got no answer from ${baseUrl}: `)[1];
    };
    const silent = await listening(() => {});
    expect(await reason(silent)).toBe('connected, but no response in time');
    const plain = await listening((_, response) => response.end('{}'));
    expect(await reason(plain.replace('http:', 'https:'))).toBe('the server does not support HTTPS');
    const other = await listening((request) => request.socket.end('220 mail\r\n'));
    expect(await reason(other)).toBe('the response is not HTTP');
  });

  it('is thrown for an endless answer when it exceeds the maximum size', async () => {
    const client = await against((_, response) => {
      const part = Buffer.alloc(1_048_576, ' ');
      const more = () => {
        while (response.write(part));
      };
      response.on('drain', more);
      more();
    });
    expect(((await failure(client.space())) as ConnectionError).code).toBe('UND_ERR_RES_EXCEEDED_MAX_SIZE');
  });
});

describe('a service that never comes to an end', () => {
  it('with parts that arrive just in time is given up when the whole answer takes too long', async () => {
    const dripping = await against((_, response) => {
      const drip = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(drip));
    }, 50);
    expect((await failure(dripping.space())).message).toMatch(/the answer was not complete after 200ms$/);
  });

  it.each([
    ['chunks of one byte', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(110_000)}`],
    ['interim answers', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(110_000)],
  ])('with %s is given up after 100,000 of them', async (_, text) => {
    const client = await against(({ socket }) => void socket.write(text));
    expect((await failure(client.space())).message).toMatch(/: the response has more than 100000 pieces$/);
  });

  it('with interim answers is given up as well', async () => {
    const processing = await against((_, response) => {
      const more = setInterval(() => response.writeProcessing(), 10);
      response.on('close', () => clearInterval(more));
    }, 50);
    expect(await failure(processing.space())).toBeInstanceOf(ConnectionError);
  });

  it.each(['{}', '{"devices":[]}', '"text"', 'null', '[1]', '[null]', '[{}]', '[{"id":5}]', '[[]]', ''])(
    'that answers a list with %j is reported',
    async (body) => {
      const client = await against((_, response) => void response.end(body));
      const whole = async () => {
        for await (const _ of client.allTags());
      };
      const message = 'was answered with 200: the answer is not a list of objects with an "id"';
      for (const request of [client.devices(), client.messages(), client.keys(), client.audit(), whole()])
        expect((await failure(request)).message).toContain(message);
    },
  );

  it.each(['[]', '"text"', 'null', '7', '{}', '{"id":{"toString":1}}', ''])(
    'that answers a request for a resource with %j is reported',
    async (body) => {
      const client = await against((_, response) => void response.end(body));
      const requests = [client.device('d'), client.createTag({ name: 'a', color: '#000000' }), client.updateSpace({})];
      for (const request of requests)
        expect((await failure(request)).message).toContain('200: the answer is not an object with an "id"');
      expect((await failure(client.countDevices())).message).toContain('200: the answer has no "count"');
    },
  );

  it.each([`${'['.repeat(100_000)}${']'.repeat(100_000)}`, '{"message":{"toString":1}}', '{"message":null}'])(
    'with an error of which no text can be made is reported',
    async (body) => {
      const client = await against((_, response) => {
        response.statusCode = 500;
        response.end(body);
      });
      expect((await failure(client.space())).message).toMatch(/^GET \S+ was answered with 500: .{1,1000}$/);
    },
  );

  it('has one short line in the message of an error', async () => {
    const client = await against((_, response) => {
      response.statusCode = 500;
      response.end('first\r\nghostfleet: all is well\u001b[2J '.repeat(1000));
    });
    expect((await failure(client.space())).message).toMatch(
      /^GET \S+ was answered with 500: first\\u000d\\nghostfleet.{900,1000}$/,
    );
  });

  it('has at most 65,536 characters of an answer', async () => {
    const client = await against((_, response) => {
      response.statusCode = 500;
      response.end(JSON.stringify(Array.from({ length: 100_000 }, () => 'hunte…')));
    });
    const error = await failure(client.space());
    expect(error).toMatchObject({ body: expect.stringMatching(/^\[("hunte…",)+.{0,9}$/) });
    expect((error as ApiError).body).toHaveLength(65_537);
  });

  it.each([
    [500, 'x'],
    [200, 'data: x'],
  ])('in a stream of events with the status %i is given up', async (status, text) => {
    const client = await against((_, response) => {
      response.writeHead(status, { 'content-type': 'text/event-stream' });
      const part = text.repeat(1_000_000);
      const more = () => {
        while (!response.destroyed && response.write(part));
      };
      response.on('drain', more);
      more();
    });
    const read = async () => {
      for await (const _ of client.events());
    };
    const error = await failure(read());
    expect(error).toBeInstanceOf(ApiError);
    expect(error.message).toMatch(
      /^GET \S+ was answered with (500: xxx.{990,1000}|200: an event of the stream never ends)$/,
    );
  });

  it.each(['not json', 'null', '7', `{"resumed":${'['.repeat(200_000)}${']'.repeat(200_000)}}`])(
    'in an event whose data is not a JSON object of a usable depth is an ApiError: %.12s',
    async (data) => {
      const client = await against((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`event: hello\ndata: ${data}\n\n`);
      });
      const error = await failure(client.events().next());
      expect(error).toBeInstanceOf(ApiError);
      expect(error.message).toContain('the data of the event "hello" is not a JSON object');
    },
  );

  it('is not waited for when the signal of the gate is aborted', async () => {
    const baseUrl = await listening((_, response) => void response.write(' '));
    const gate: Gate = (request) => request(AbortSignal.abort(new Error('too slow')));
    const client = new DeviceCloudClient({ baseUrl, apiKey: KEY, spaceId: 's', gate });
    closeLater(() => client.close());
    const error = await failure(client.space());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain('too slow');
  });

  it('because it ignores the offset of a list gets no third request for the same page', async () => {
    const pages = [['a', 'b'], ['c'], ['d', 'b']];
    let asked = 0;
    const client = await against((_, response) => {
      response.end(JSON.stringify(pages[asked++ % 3]?.map((id) => ({ id }))));
    });
    const read = async () => {
      for await (const _ of client.allTags());
    };
    expect((await failure(read())).message).toContain(
      'GET /v2/spaces/s/tags was answered with 200: the list ignores "offset": two of its pages end with the item "b"',
    );
    expect(asked).toBe(3);
  });
});

describe('an invalid address or key', () => {
  it('is rejected immediately, and the key is not repeated', () => {
    const make = (baseUrl: string, apiKey: string) => () => new DeviceCloudClient({ baseUrl, apiKey, spaceId: 's' });
    expect(make('localhost', KEY)).toThrow(UsageError);
    expect(make('ftp://x', KEY)).toThrow('"ftp://x" is not an address');
    expect(make('http://x', 'a secret')).not.toThrow('a secret');
    expect(make('http://x', 'a secret')).toThrow('the API key contains spaces or characters other than visible ASCII');
    expect(make('http://x', '')).toThrow('the API key is empty');
  });
});
