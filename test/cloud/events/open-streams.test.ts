/** Limits of open streams: which stream is admitted, and which one makes room. */
import { describe, expect, it } from 'vitest';
import { type OpenStream, OpenStreams, STREAMS } from '../../../src/cloud/events/open-streams.js';

/** Opens streams in a space, 20 with each credential. */
function open(streams: OpenStreams, space: string, count: number): readonly OpenStream[] {
  return Array.from({ length: count }, (_, n) => {
    const entered = streams.enter(space, `${space} ${Math.floor(n / STREAMS.credential)}`);
    if (typeof entered === 'string') throw new Error(`refused: ${entered}`);
    return entered;
  });
}

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

  it('refuses a stream if no space has at least two more', () => {
    const streams = new OpenStreams();
    for (let n = 0; n < STREAMS.all / 2; n++) open(streams, `space ${n}`, 2);
    expect(streams.enter('space 0', 'another')).toBe('all');
    expect(typeof streams.enter('new', 'first')).toBe('object');
    expect(streams.enter('new', 'second')).toBe('all');
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
