/** Colours of tags, as the API and scenarios accept them: `#1f77b4`, or `#abc` for `#aabbcc`. */
export const COLOUR = '^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$';

export const COLOUR_FORM = 'a colour such as "#1f77b4", or "#abc" for "#aabbcc"';

/** The colour with six digits, as clients expect it. */
export function sixDigits(colour: string): string {
  return colour.length === 4 ? colour.replace(/[0-9a-f]/gi, '$&$&') : colour;
}
