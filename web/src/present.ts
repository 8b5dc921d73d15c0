/** The presenter mode: the page for a large screen in a meeting, without controls. The address has `?present`. */
export const isPresenting = new URLSearchParams(location.search).has('present');

/** Marks the document for the style sheets. Escape leaves the mode. */
export function startPresenting(): void {
  if (!isPresenting) return;
  document.documentElement.dataset.present = '';
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') location.href = `${location.pathname}${location.hash}`;
  });
}
