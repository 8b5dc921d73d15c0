/** Comparison of texts without regard to case, for filters. */

/** The form to compare texts in: "ΟΔΟΣ" equals "οδος", "STRASSE" "Straße", and composed letters decomposed ones. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  // By way of upper case, because several small letters can have the same capital, and "ẞ" becomes "SS" only from "ß". In the
  // end letter by letter, because `toLowerCase` gives a sigma at the end of a word another form.
  for (const letter of text.normalize('NFKD').toLowerCase().toUpperCase()) folded += letter.toLowerCase();
  return folded.replaceAll('i\u0307', 'i').normalize('NFKC');
}

const ASCII = /^[\x20-\x7e]*$/;
