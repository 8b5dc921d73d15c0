import { useLayoutEffect } from 'preact/hooks';

/**
 * Moves the focus to the content. A link to an anchor is not possible, because the fragment of the address is the path of the
 * page.
 */
export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}

/**
 * Moves the focus from an element that is about to go to the part of the page around it, so that the keyboard continues there.
 * The browser itself would move it to the beginning of the document.
 */
export function passFocusOn(element: HTMLElement | null): void {
  if (element === null || document.activeElement !== element) return;
  element.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
}

/**
 * Lets the focus stay on its element when the list around it is rendered in another order, or on the element with the same label
 * if that has come to another list, or else on the page. A browser takes the focus from an element that is moved.
 */
export function useFocusThatStays(): void {
  const { activeElement: before } = document;
  useLayoutEffect(() => {
    if (!(before instanceof HTMLElement) || document.activeElement !== document.body) return;
    const label = before.getAttribute('aria-label');
    const same = label === null ? null : document.querySelector<HTMLElement>(`[aria-label=${JSON.stringify(label)}]`);
    const next = before.isConnected ? before : (same ?? document.getElementById('content'));
    next?.focus({ preventScroll: true });
  });
}
