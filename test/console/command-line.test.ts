import { describe, expect, it } from 'vitest';
import { splitLine } from '../../src/console/command-line.js';

describe('a line for a console', () => {
  it.each([
    ['info show', { command: 'info show' }],
    ['cellar : info show', { selection: 'cellar', command: 'info show' }],
    ['fw<3.1 & battery<20 :info show', { command: 'fw<3.1 & battery<20 :info show' }],
    [' : info show', { selection: '', command: 'info show' }],
    [': info show', { selection: '', command: 'info show' }],
    ['cellar :', { selection: 'cellar', command: '' }],
    ['ble config name a:b', { command: 'ble config name a:b' }],
    ['ble config name "a : b"', { command: 'ble config name "a : b"' }],
    ['tag="a : b" : send', { selection: 'tag="a : b"', command: 'send' }],
  ])('%j is split at the first unquoted colon that has a space or an end of the line on each side', (text, parts) =>
    expect(splitLine(text)).toEqual(parts),
  );
});
