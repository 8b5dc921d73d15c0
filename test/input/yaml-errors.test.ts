/** What is said of YAML texts with slips that are common in files that people write: one message each, without consequences. */
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../src/input/document.js';

function complaintsOf(text: string): readonly string[] {
  try {
    readYaml(text, 'a.yaml');
    return [];
  } catch (error) {
    return String((error as Error).message).split('\n');
  }
}

const fleet = (...lines: string[]) => `name: a\nfleet:\n${lines.map((line) => `${line}\n`).join('')}`;

describe('a slip in a YAML file', () => {
  it.each([
    [
      'a missing blank after a colon',
      'name: a\nduration:1h\nfleet: []\n',
      'a.yaml:2:1: "duration:1h" has no blank after the colon; write "duration: 1h"',
    ],
    [
      'the same in the last line',
      'name: a\nduration:1h\n',
      'a.yaml:2:1: "duration:1h" has no blank after the colon; write "duration: 1h"',
    ],
    [
      'the same with line ends of Windows',
      'name: a\r\nduration:1h\r\nfleet: []\r\n',
      'a.yaml:2:1: "duration:1h" has no blank after the colon; write "duration: 1h"',
    ],
    [
      'the same in an item of a list',
      fleet('  - name:cc', '    profile: clime'),
      'a.yaml:3:5: "name:cc" has no blank after the colon; write "name: cc"',
    ],
    [
      'a missing blank after a dash',
      fleet('  -name: cc', '   profile: clime', '   count: 2'),
      'a.yaml:3:3: "-name: cc" has no blank after the dash; write "- name: cc"',
    ],
    [
      'a first line that is indented',
      '  name: a\nduration: 1h\nfleet:\n  - { name: cc, profile: clime }\n',
      'a.yaml:1:3: "name" begins in column 3: begin it in column 1, that of "duration" below it',
    ],
    [
      'another line that is indented',
      'name: a\n duration: 1h\nfleet: []\n',
      'a.yaml:2:2: "duration" begins in column 2: begin it in column 1, that of "name" above it',
    ],
    [
      'a key that is a blank too far to the left',
      fleet('  - name: cc', '   profile: clime', '    count: 2'),
      'a.yaml:4:4: "profile" begins in column 4: begin it in column 5, that of "name" above it',
    ],
    [
      'a key below the dash of its item',
      fleet('  - name: cc', '  profile: clime'),
      'a.yaml:4:3: "profile" begins in column 3: begin it in column 5, that of "name" above it',
    ],
    [
      'keys that are too far to the right',
      fleet('  - name: cc', '      profile: clime', '      count: 2'),
      'a.yaml:4:7: "profile" begins in column 7: begin it in column 5, that of "name" above it',
    ],
    [
      'an item of a list that is too far to the left',
      'expect:\n  - a == 1\n - b == 2\n',
      'a.yaml:3:2: "b == 2" begins in column 2: begin it in column 3, that of "a == 1" above it',
    ],
    [
      'a second colon',
      'name: a\nabout: fleet: the first\nfleet: []\n',
      'a.yaml:2:8: "fleet: the first" contains ": ", so it needs quotation marks around it',
    ],
    [
      'a brace in a text',
      'a:\n  - { get: /spaces/{space}/tags, name: x }\n',
      'a.yaml:2:12: "/spaces/{space}/tags" needs quotation marks around all of it',
    ],
    [
      'a bracket in a text',
      'a: { capture: { id: $[0].id, b: 1 } }\n',
      'a.yaml:1:21: "$[0].id" needs quotation marks around all of it',
    ],
    [
      'a brace in a text of a list',
      'a: [status == 200, $.a == {id}]\n',
      'a.yaml:1:20: "$.a == {id}" needs quotation marks around all of it',
    ],
    [
      'a text behind a brace',
      'a:\n  b: {at}/parts\n',
      'a.yaml:2:6: "{at}/parts" needs quotation marks around all of it',
    ],
    [
      'a text behind a map that does not belong to it',
      'a:\n  - { b: 1 } c\n',
      'a.yaml:2:14: Unexpected scalar at node end',
    ],
    [
      'a brace without an end',
      fleet('  - { name: cc, profile: clime', 'steps:', '  - { at: 10m, to: [cc] }'),
      'a.yaml:3:5: "{ name: cc, profile: clime" has no closing "}"',
    ],
    ['a bracket without an end', 'a: [1, 2\nb: 1\n', 'a.yaml:1:4: "[1, 2" has no closing "]"'],
    [
      'a quotation mark without an end',
      'a: it\'s\nname: "b\nduration: 1h\n',
      'a.yaml:2:7: "b" has no closing quotation mark (")',
    ],
    [
      'a line without a colon',
      'a: 1\nfoo\nb: 1\n',
      'a.yaml:2:1: "foo" is not a key and a value, such as "name: cellar"',
    ],
    ['a tab', 'a:\n\tb: 1\n', 'a.yaml:2:1: a tab cannot indent a line; indent it with blanks'],
  ])('is one problem with its place and its remedy: %s', (_, text, complaint) => {
    expect(complaintsOf(text)).toEqual([complaint]);
  });

  it('is found in each line that has no blank after the colon', () => {
    expect(
      complaintsOf('name: a\nduration:1h\nfleet:\n  - name:cc\n    profile: clime\n').map((each) => each.slice(0, 20)),
    ).toEqual(['a.yaml:2:1: "duratio', 'a.yaml:4:5: "name:cc']);
  });

  it('hides no problem of other values that the library reads as they are meant', () => {
    expect(complaintsOf('a: !x 1\nb: *z\nb: 2\n')).toHaveLength(3);
  });

  it.each([
    ['an address', 'name: a\nabout: http://example.com/x\n'],
    ['a time', 'at: 12:30\n'],
    ['a text of several lines', 'about: first\n  second:third\n'],
    ['a block', 'about: |\n  duration:1h\n'],
  ])('is not %s', (_, text) => {
    expect(complaintsOf(text)).toEqual([]);
  });

  it('is one problem of a line in which the library finds thousands of errors', () => {
    expect(complaintsOf(`[1]\n${'] '.repeat(4000)}`)).toHaveLength(1);
  });
});
