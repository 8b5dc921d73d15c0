/** The output of a shell command as the firmware captures it for the cloud, and how it is split into lines. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captureOutput, splitCapture } from '../../../src/device/shell/capture.js';

describe('the captured output', () => {
  it('begins with a line end and ends every line with one', () => {
    expect(captureOutput('info show', ['a', 'b'])).toBe('\r\na\r\nb\r\n');
  });

  it('of a silent command is a line end', () => {
    expect(captureOutput('send', [])).toBe('\r\n');
  });

  it('does not begin with a line end when command and prompt fill whole terminal lines', () => {
    // (length + 3) % 80 = 0
    for (const length of [77, 157, 237]) expect(captureOutput('x'.repeat(length), ['a'])).toBe('a\r\n');
    for (const length of [76, 78, 80]) expect(captureOutput('x'.repeat(length), ['a'])).toBe('\r\na\r\n');
  });

  it('counts each byte of a letter as a column', () => {
    // 154 bytes and the prompt are not full lines of 80 columns.
    expect(captureOutput('é'.repeat(77), ['a'])).toBe('\r\na\r\n');
    expect(captureOutput('€uro€uro€uro€'.padEnd(69), ['a'])).toBe('a\r\n');
  });

  it('is cut after 4095 bytes', () => {
    const text = captureOutput('help', ['é'.repeat(2047), 'b']);
    expect(text).toBe(`\r\n${'é'.repeat(2046)}\ufffd`);
  });

  it('is cut after 4095 characters', () => {
    // 2 + 40 × (100 + 2) = 4082; 13 characters of the next line fit.
    const lines = Array.from({ length: 60 }, () => 'x'.repeat(100));
    const text = captureOutput('help', lines);
    expect(text).toHaveLength(4095);
    expect(splitCapture(text)).toEqual(lines.slice(0, 40));
  });
});

describe('the splitter of captured output', () => {
  it('returns the lines', () => {
    const line = fc.stringMatching(/^[ -~]+$/);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30, size: 'small' }), (lines) => {
        expect(splitCapture(captureOutput('help', lines))).toEqual(lines);
      }),
    );
  });

  it('leaves an empty line at the front of the next', () => {
    expect(splitCapture(captureOutput('help', ['a', '', 'b']))).toEqual(['a', '\r\nb']);
    expect(splitCapture(captureOutput('help', ['', 'b']))).toEqual(['\r\nb']);
    expect(splitCapture(captureOutput('help', ['a', '', '', 'b']))).toEqual(['a', '\r\n', 'b']);
  });

  it('loses an empty last line, and text after the last line end', () => {
    expect(splitCapture('\r\na\r\n\r\n')).toEqual(['a']);
    expect(splitCapture('\r\na\r\nb')).toEqual(['a']);
  });

  it('rejects a text without a line end at the front', () => {
    expect(splitCapture('a\r\n')).toBeUndefined();
    expect(splitCapture('')).toBeUndefined();
  });
});
