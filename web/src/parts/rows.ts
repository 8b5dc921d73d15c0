/** Computes which rows of a long list are in view. All rows must have the same height. */
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface Window {
  /** First row to draw. */
  readonly first: number;
  /** First row after the last one to draw. */
  readonly end: number;
}

/** Number of rows that are drawn above and below the view, so that scrolling shows no gaps. */
const SPARE = 8;

/** @param box element that scrolls; its rows begin at its top */
export function useWindow(box: RefObject<HTMLElement | null>, count: number, rowHeight: number): Window {
  const [{ top, height }, setPlace] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    let frame = 0;
    const read = () => {
      frame = 0;
      setPlace({ top: current.scrollTop, height: current.clientHeight });
    };
    const later = () => {
      frame ||= requestAnimationFrame(read);
    };
    const observer = new ResizeObserver(later);
    observer.observe(current);
    current.addEventListener('scroll', later, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      current.removeEventListener('scroll', later);
    };
  }, [box]);
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  return { first, end: Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE) };
}
