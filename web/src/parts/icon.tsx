/** Icons, drawn with the colour of the text around them. They say nothing to screen readers: the control has a name. */

const SHAPES = {
  theme: 'M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16zM12 4v16M12 8h6.9M12 12h8M12 16h6.9',
  signOut: 'M11 4H5v16h6M10 12h10M16 8l4 4-4 4',
  present: 'M3 4h18v12H3zM12 16v4M8 20h8',
} as const;

export function Icon({ name }: { readonly name: keyof typeof SHAPES }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
