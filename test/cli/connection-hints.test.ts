import { expect, it } from 'vitest';
import { findConnectionHint } from '../../src/cli/connection-hints.js';

const DIRECT = (name: string) => `ghostfleet does not use ${name}: it connects directly`;

it.each([
  [
    'GET /v2 got no answer from https://cloud.example: unknown host',
    { HTTPS_PROXY: 'http://u:secret@p:1' },
    DIRECT('HTTPS_PROXY'),
  ],
  [
    'GET /v2 got no answer from https://cloud.example: connecting timed out',
    { http_proxy: 'p:1' },
    DIRECT('http_proxy'),
  ],
  ['GET /v2 got no answer from https://cloud.example: unknown host', {}, undefined],
  ['GET /v2 got no answer from https://cloud.example: unknown host', { HTTPS_PROXY: '' }, undefined],
  ['the API key contains spaces', { HTTPS_PROXY: 'p:1' }, undefined],
  [
    'GET /v2 got no answer from http://cloud.example:443: connection lost',
    { HTTPS_PROXY: 'p:1' },
    'if the server expects TLS, its address begins with https://; ghostfleet uses HTTP/1.1, not HTTP/2',
  ],
  [
    'GET /v2 got no answer from https://cloud.example: connection lost',
    {},
    'if the server demands a client certificate: ghostfleet does not have one',
  ],
  ['GET /v2 got no answer from https://cloud.example: the response is not HTTP', {}, undefined],
])('the message "%s" with %j has the right hint', (message, env, hint) => {
  expect(findConnectionHint(message, env)).toBe(hint);
});
