import { describe, expect, it } from 'vitest';
import { needDifferentPorts } from '../../src/kernel/same-port.js';

const pair = (one: object, other: object) => () =>
  needDifferentPorts([
    { option: '--a', port: 7001, ...one },
    { option: '--b', port: 7001, ...other },
  ]);

describe('two options with the same port', () => {
  it.each([
    ['of one address', {}, {}],
    ['of the address and its name', { host: '127.0.0.1' }, { host: 'localhost' }],
    ['of an address and all addresses', { host: '127.0.0.1' }, { host: '0.0.0.0' }],
    ['of all addresses and an address', { host: '::' }, { host: '10.0.0.1' }],
  ])('are named: %s', (_, one, other) => {
    expect(pair(one, other)).toThrow('--a and --b name the same port, 7001');
  });

  it.each([
    ['are not: another address', { host: '127.0.0.1' }, { host: '127.0.0.2' }],
    ['are not: another port', {}, { port: 7002 }],
    ['are not: free ports', { port: 0 }, { port: 0 }],
    ['are not: no ports', { port: null }, { port: undefined }],
  ])('%s', (_, one, other) => {
    expect(pair(one, other)).not.toThrow();
  });
});
