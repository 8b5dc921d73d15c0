/** Compressed answers: messages name their coding. */

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Why the body of a compressed answer cannot be read; undefined if the answer is not compressed. */
export function compressedBecause(headers: Headers): string | undefined {
  const coding = [headers['content-encoding'] ?? ''].flat().join(', ').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return undefined;
  // The text of a foreign server: not shown unless it looks like a coding.
  const name = /^[a-z0-9-]+(?:, ?[a-z0-9-]+)*$/.test(coding) && coding.length <= 40 ? coding : 'an unknown coding';
  return `the answer is compressed (Content-Encoding: ${name}), although the request accepts only "identity"; turn compression off in the server or its proxy`;
}
