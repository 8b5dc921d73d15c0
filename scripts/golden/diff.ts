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

/** By the longest common subsequence. The common beginning and end are removed first: usually they are most of the text. */
function editsOf(before: readonly string[], after: readonly string[]): readonly Edit[] {
  let head = 0;
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [a, b] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];

  // common[i][j]: length of the longest common subsequence of a from i on and b from j on.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const length = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = common[i] as Uint32Array;
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }

  const edits: Edit[] = [];
  const add = (mark: Edit['mark'], line: string, i: number) => edits.push({ mark, line, number: i + 1 });
  for (let i = 0; i < head; i++) add(' ', before[i] ?? '', i);
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && a[i] === b[j]) {
      add(' ', a[i] ?? '', head + i++);
      j++;
    } else if (i < a.length && length(i + 1, j) >= length(i, j + 1)) add('-', a[i] ?? '', head + i++);
    else add('+', b[j++] ?? '', head + i);
  }
  for (let i = before.length - tail; i < before.length; i++) add(' ', before[i] ?? '', i);
  return edits;
}
