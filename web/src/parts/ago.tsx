import { lengthText } from '../model/length.js';
import { now } from '../model/now.js';

/** Created once, because a table formats many dates every second. */
const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** `3m ago`, with the exact time as its title. @param at Unix time in ms */
export function Ago({ at }: { readonly at: number }) {
  if (at === 0) return <span class="dim">never</span>;
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={momentText(at)}>
      {agoText(now.value - at)}
    </time>
  );
}

/** `2 Mar 2026, 07:40:17`, in the time zone of the browser. @param at Unix time in ms */
export function momentText(at: number): string {
  return FORMAT.format(at);
}

function agoText(ms: number): string {
  return ms < 5_000 ? 'just now' : `${lengthText(ms)} ago`;
}
