/**
 * Moves the focus from an element that is about to go to the part of the page around it, so that the keyboard continues there.
 * The browser itself would move it to the beginning of the document.
 */
export function passFocusOn(element: HTMLElement | null): void {
  if (element === null || document.activeElement !== element) return;
  element.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
}
