/** Limits of open streams: which stream is admitted, and which one makes room. */
import { describe, expect, it } from 'vitest';
import { type OpenStream, OpenStreams, STREAMS } from '../../../src/cloud/events/open-streams.js';

/** Opens streams in a space, 20 with each credential. */
function open(streams: OpenStreams, space: string, count: number, tenant = space): readonly OpenStream[] {
  return Array.from({ length: count }, (_, n) => {
    const entered = streams.enter({ space, tenant, credential: `${space} ${Math.floor(n / STREAMS.credential)}` });
    if (typeof entered === 'string') throw new Error(`refused: ${entered}`);
    return entered;
  });
}

const reader = (space: string, credential: string, tenant = space) => ({ space, credential, tenant });

it('a credential has the same limit in one space and in many', () => {
  const streams = new OpenStreams();
  for (let n = 0; n < STREAMS.credential; n++)
    expect(typeof streams.enter(reader(`space ${n}`, 'login', 'ann'))).toBe('object');
  expect(streams.enter(reader('another', 'login', 'ann'))).toBe('credential');
});

describe('a service with all streams taken', () => {
  it('makes room for a space with none, by ending the newest stream of the space with the most', () => {
    const streams = new OpenStreams();
    const small = open(streams, 'small', 199);
    const taken = ['a', 'b', 'c', 'd'].flatMap((space) => open(streams, space, 200));
    open(streams, 'e', 1);
    const [other] = open(streams, 'other', 1);
    expect(taken.map(({ displaced }) => displaced.aborted).indexOf(true)).toBe(199);
    expect([...small, other].some((stream) => stream?.displaced.aborted)).toBe(false);
  });

  it('makes room although the streams of an account are in a thousand spaces', () => {
    const streams = new OpenStreams();
    const taken = Array.from({ length: STREAMS.all }, (_, n) => open(streams, `space ${n}`, 1, 'mallory')).flat();
    open(streams, 'other', 5);
    expect(taken.filter(({ displaced }) => displaced.aborted)).toEqual(taken.slice(-5));
  });

  it('refuses a stream if no space has at least two more', () => {
    const streams = new OpenStreams();
    for (let n = 0; n < STREAMS.all / 2; n++) open(streams, `space ${n}`, 2);
    expect(streams.enter(reader('space 0', 'another'))).toBe('all');
    expect(typeof streams.enter(reader('new', 'first'))).toBe('object');
    expect(streams.enter(reader('new', 'second'))).toBe('all');
  });

  it('has room again after a stream has ended, even if it was displaced before', () => {
    const streams = new OpenStreams();
    const taken = ['a', 'b', 'c', 'd', 'e'].flatMap((space) => open(streams, space, 200));
    open(streams, 'f', 1);
    for (const stream of taken) stream.leave();
    const later = ['g', 'h', 'i', 'j'].flatMap((space) => open(streams, space, 200));
    later.push(...open(streams, 'k', 199));
    expect(later.some(({ displaced }) => displaced.aborted)).toBe(false);
    open(streams, 'l', 1);
    expect(later.filter(({ displaced }) => displaced.aborted)).toHaveLength(1);
  });
});
