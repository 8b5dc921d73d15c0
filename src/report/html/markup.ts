/**
 * HTML that is safe against injection. Only {@link markup} and {@link writeData} create it from values. Both escape every value
 * that is not itself {@link Markup}. A device named `</script>` is shown with exactly this name.
 */
import { withoutUnprintable } from '../../kernel/printable.js';

export class Markup {
  /** @param html created by {@link markup}, or a constant of this program */
  constructor(readonly html: string) {}
}

type Part = Markup | string | number | readonly Part[];

/** Template tag: escapes the values, except for values that are markup. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((all, text, i) => `${all}${writePart(parts[i - 1] ?? '')}${text}`));
}

export const NOTHING = new Markup('');

function writePart(part: Part): string {
  if (part instanceof Markup) return part.html;
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part));
  return part.map(writePart).join('');
}

/** Data for the page's script, escaped: no text can end the element. */
export function writeData(data: unknown): Markup {
  const json = JSON.stringify(data, (_key, value) => (typeof value === 'string' ? withoutUnprintable(value) : value));
  return new Markup(`<script type="application/json">${json.replaceAll('<', '\\u003c')}</script>`);
}

/** The anchor of a heading: `Uplinks and fleet` becomes `uplinks-and-fleet`. @param title constant text */
export function makeId(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return withoutUnprintable(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
