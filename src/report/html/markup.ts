/**
 * HTML that cannot be broken by what is put into it. {@link markup} is the only way to make some: everything that it is
 * given is escaped unless it is {@link Markup} itself. A device that calls itself `</script>` is shown as just that.
 */
export class Markup {
  /** @param html made by {@link markup}, or a constant of this program */
  constructor(readonly html: string) {}
}

type Part = Markup | string | number | readonly Part[];

/** A template; its values become text, or stay what they are when they are markup. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((all, text, i) => `${all}${written(parts[i - 1] ?? '')}${text}`));
}

export const NOTHING = new Markup('');

function written(part: Part): string {
  if (part instanceof Markup) return part.html;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part.map(written).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control characters could end the text early for some readers, and turned-round text could mislead: they are shown as boxes. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) =>
      /[\n\t]/.test(character) ? character : '\ufffd',
    )
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
