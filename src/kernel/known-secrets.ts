/**
 * Hides secrets that this program knows in texts of others, which may repeat them: as they are, in other letter case, with the
 * escapes of addresses, JSON and HTML, also of each other, in hex, and in base64, also as a part of what is encoded. Of a text
 * that is cut off, also the beginning of a secret at its end.
 */

/**
 * Fewer characters are hidden only where they are the whole text: `on` or `12` is in too many texts, which would be unreadable,
 * and whose gaps would show what is hidden.
 */
const LEAST = 4;
/** Characters of a part of a long secret. Parts are hidden one by one, because a text may have only some of them. */
const PART = 128;

/** @param mask stands for each secret, and for secrets without a text between them */
export function hideSecrets(text: string, secrets: readonly string[], mask: string): string {
  const whole = readEscapes(text).plain.trim();
  if (whole !== '' && secrets.some((secret) => secret === text || secret.trim() === whole)) return mask;
  const needles = new Set(secrets.flatMap(listParts).flatMap(listForms));
  if (needles.size === 0) return text;
  return maskIn(readEscapes(maskIn({ plain: text, text, escapes: [] }, needles, mask)), needles, mask);
}

/** The lines of a secret, and the parts of long ones: some texts have other line ends. */
function listParts(secret: string): readonly string[] {
  const parts = secret.match(new RegExp(`[^\\r\\n]{1,${PART}}`, 'gu')) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part.length >= LEAST);
}

function listForms(part: string): readonly string[] {
  const bytes = Buffer.from(part);
  // Before the secret, the encoded text may have any number of bytes: the digits depend on it modulo 3.
  const encoded = [0, 1, 2].map((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [part, readEscapes(part).plain, bytes.toString('hex'), ...encoded].map(fold);
}

/** Without the differences between letter cases, blanks and their sign in forms, and the alphabets of base64. */
function fold(text: string): string {
  const small = text.replace(/[^\u0130]+/g, (letters) => letters.toLowerCase());
  return small.replaceAll(/[+-]/g, ' ').replaceAll('_', '/');
}

/** A text whose escapes are replaced by what they stand for. */
interface Plain {
  readonly plain: string;
  readonly text: string;
  readonly escapes: readonly Escape[];
}

/** Where an escape begins and ends, in the text and, as what it stands for, in the plain form. */
type Escape = Readonly<Record<'from' | 'to' | 'plainFrom' | 'plainTo', number>>;

const ESCAPE =
  /((?:%(?:25)*[89a-f][\da-f])+)|%(?:25)*([0-7][\da-f])|\\+u([\da-f]{4})|\\+(["'\\/bfnrt])|&(?:amp;)*(?:#(\d{1,7})|#x([\da-f]{1,6})|(quot|apos|lt|gt|amp));/gi;
const SIGNS: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
  ...{ quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' },
};

function readEscapes(text: string): Plain {
  const escapes: Escape[] = [];
  let plain = '';
  let end = 0;
  for (const { 0: whole, 1: bytes, 2: ascii, 3: unit, 4: sign, 5: decimal, 6: hex, 7: name, index } of text.matchAll(
    ESCAPE,
  )) {
    plain += text.slice(end, index);
    const plainFrom = plain.length;
    const code = Number.parseInt(ascii ?? unit ?? decimal ?? hex ?? '', decimal === undefined ? 16 : 10);
    if (bytes !== undefined) plain += Buffer.from(bytes.replaceAll(/%(?:25)*/g, ''), 'hex').toString();
    else if (sign !== undefined) plain += SIGNS[sign.toLowerCase()] ?? sign;
    else if (name !== undefined) plain += SIGNS[name.toLowerCase()];
    else plain += String.fromCodePoint(Math.min(code, 0x10ffff));
    end = index + whole.length;
    escapes.push({ from: index, to: end, plainFrom, plainTo: plain.length });
  }
  return { plain: plain + text.slice(end), text, escapes };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where a folded text has a needle, or the beginning of one at its end or where it is cut off. */
function listFound(text: string, needle: string): readonly Range[] {
  const found: Range[] = [];
  const begin = needle.slice(0, LEAST);
  for (let at = text.indexOf(begin); at !== -1; at = text.indexOf(begin, at + 1)) {
    let to = at + begin.length;
    while (to - at < needle.length && text[to] === needle[to - at]) to += 1;
    if (to - at === needle.length || to === text.length || text[to] === '…') found.push({ from: at, to });
  }
  return found;
}

/** The text with a mask where its plain form has one of `needles`. */
function maskIn({ plain, text, escapes }: Plain, needles: Iterable<string>, mask: string): string {
  const folded = fold(plain);
  const found = [...needles].flatMap((needle) => listFound(folded, needle));
  if (found.length === 0) return text;
  found.sort((a, b) => a.from - b.from);
  let next = 0;
  /** Where the sign at a place of the plain form begins and ends in the text; places may not go back. */
  const signAt = (at: number) => {
    while ((escapes[next + 1]?.plainFrom ?? Number.POSITIVE_INFINITY) <= at) next += 1;
    const last = escapes[next];
    if (last === undefined || at < last.plainFrom) return { from: at, to: at + 1 };
    if (at < last.plainTo) return last;
    return { from: last.to + at - last.plainTo, to: last.to + at - last.plainTo + 1 };
  };
  let shown = '';
  let end = 0;
  let masked = 0;
  for (const { from, to } of found) {
    if (to <= masked) continue;
    const begin = from <= masked ? end : signAt(from).from;
    // Touching secrets have one mask.
    shown += masked > 0 && from <= masked ? '' : text.slice(end, begin) + mask;
    end = signAt(to - 1).to;
    masked = to;
  }
  return shown + text.slice(end);
}
