import { now } from '../model/now.js';

/** Made once: a table asks for many times a second. */
const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** `3 min ago`, with the exact time as its title. @param at Unix time in ms */
export function Ago({ at }: { readonly at: number }) {
  if (at === 0) return <span class="dim">never</span>;
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={FORMAT.format(date)}>
      {agoText(now.value - at)}
    </time>
  );
}

function agoText(ms: number): string {
  return ms < 5_000 ? 'just now' : `${lengthText(ms)} ago`;
}

/** A length of time in its largest unit: `3 min`. */
export function lengthText(ms: number): string {
  const s = Math.round(ms / 1000);
  if (s < 120) return ms < 1000 ? `${Math.round(ms)} ms` : `${s} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  if (s < 172_800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86_400)} d`;
}
