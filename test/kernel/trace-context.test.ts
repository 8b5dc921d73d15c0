/** The header `traceparent` of W3C Trace Context. */
import { describe, expect, it } from 'vitest';
import { readTraceParent, writeTraceParent } from '../../src/kernel/trace-context.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('the header traceparent', () => {
  it.each([
    ['version 00', `00-${TRACE}-${SPAN}-01`, true],
    ['a trace that is not recorded', `00-${TRACE}-${SPAN}-00`, false],
    ['flags that are not known', `00-${TRACE}-${SPAN}-ff`, true],
    ['a later version', `01-${TRACE}-${SPAN}-01`, true],
    ['a later version with further fields', `cc-${TRACE}-${SPAN}-01-what-the-future-brings`, true],
  ])('is read: %s', (_, header, sampled) => {
    expect(readTraceParent(header)).toEqual({ traceId: TRACE, spanId: SPAN, sampled });
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['several headers', [`00-${TRACE}-${SPAN}-01`]],
    ['two headers as one', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['version 00 with further fields', `00-${TRACE}-${SPAN}-01-more`],
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a line feed', `00-${TRACE}-${SPAN}-01\n00`],
  ])('is ignored: %s', (_, header) => {
    expect(readTraceParent(header)).toBeUndefined();
  });

  it('is written in version 00', () => {
    expect(writeTraceParent({ traceId: TRACE, spanId: SPAN, sampled: true })).toBe(`00-${TRACE}-${SPAN}-01`);
  });
});
