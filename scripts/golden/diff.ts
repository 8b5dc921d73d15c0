/** The differences of two texts, line by line, with the lines around them, for the review of a change. */

const CONTEXT = 3;

/**
 * Lines that begin with `-` are only in `before`, those with `+` only in `after`; `@ n` gives the number in `before` of the
 * following line. Empty if both texts are the same.
 */
export function diffLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const edits = editsOf(before, after);
  const near = edits.map((_, i) =>
    edits.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  );
  const lines: string[] = [];
  edits.forEach(({ mark, line, number }, i) => {
    if (!near[i]) return;
    if (!near[i - 1]) lines.push(`@ ${number}`);
    lines.push(`${mark} ${line}`.trimEnd());
  });
  return lines;
}

interface Edit {
  readonly mark: ' ' | '-' | '+';
  readonly line: string;
  readonly number: number;
}

/** The common beginning and end are set aside: usually they are most of the text. */
function editsOf(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const most = Math.min(before.length, after.length);
  const head = lengthWhile(most, (i) => before[i] === after[i]);
  const tail = lengthWhile(most - head, (i) => before.at(-1 - i) === after.at(-1 - i));
  const end = before.length - tail;
  const same = (line: string, i: number): Edit => ({ mark: ' ', line, number: i + 1 });
  return [
    ...before.slice(0, head).map(same),
    ...middleEdits(before.slice(head, end), after.slice(head, after.length - tail), head),
    ...before.slice(end).map((line, i) => same(line, end + i)),
  ];
}

/** Number of consecutive numbers from 0 (and below `most`) that `holds` accepts. */
function lengthWhile(most: number, holds: (i: number) => boolean): number {
  let length = 0;
  while (length < most && holds(length)) length++;
  return length;
}

/**
 * Edits by the longest common subsequence of `a` and `b`.
 * @param head number of lines before `a`
 */
function middleEdits(a: readonly string[], b: readonly string[], head: number): readonly Edit[] {
  const length = commonLengths(a, b);
  const edits: Edit[] = [];
  const add = (mark: Edit['mark'], line: string | undefined, i: number) =>
    edits.push({ mark, line: line ?? '', number: head + i + 1 });
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && a[i] === b[j]) {
      add(' ', a[i], i++);
      j++;
    } else if (i < a.length && length(i + 1, j) >= length(i, j + 1)) add('-', a[i], i++);
    else add('+', b[j++], i);
  }
  return edits;
}

/** The length of the longest common subsequence of `a` from line i on and `b` from line j on. */
function commonLengths(a: readonly string[], b: readonly string[]): (i: number, j: number) => number {
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const length = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = common[i] as Uint32Array;
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }
  return length;
}
