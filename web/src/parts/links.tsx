import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface LinksProps {
  readonly label: string;
  readonly class?: string;
  /** Key of the link with `aria-current`. */
  readonly current: string;
  readonly children: ComponentChildren;
}

/** Links in one row, which scrolls in a narrow window. The current one is in view. */
export function Links({ label, class: className = '', current, children }: LinksProps) {
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const { current: nav } = row;
    const link = nav?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (!nav || !link) return;
    const { left, width } = nav.getBoundingClientRect();
    nav.scrollLeft += link.left - left - (width - link.width) / 2;
  }, [current]);
  return (
    <nav ref={row} class={`links ${className}`} aria-label={label}>
      {children}
    </nav>
  );
}
