/**
 * Makes all texts of the pages inert. Names and answers come from devices and other users. Characters in them that change the
 * direction of writing could falsify a text of the page, such as the question before a deletion. Preact calls the code below
 * for every element that it makes, so that no page has to remember it. Texts that users type into fields stay unchanged.
 */
import { type ComponentChildren, Fragment, options, type VNode } from 'preact';
import { printable } from '../../../src/kernel/printable.js';

/** Attributes that browsers or screen readers show as text. */
const SHOWN = ['title', 'aria-label', 'placeholder', 'alt'] as const;

/** Call it once, before the first page is rendered. */
export function makeTextsInert(): void {
  const next = options.vnode;
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string' || vnode.type === Fragment) makeInert(vnode as VNode<Record<string, unknown>>);
    next?.(vnode);
  };
}

function makeInert({ props }: VNode<Record<string, unknown>>): void {
  // The cast is safe because Preact made these properties for this element alone.
  const own = props as { -readonly [K in keyof typeof props]: (typeof props)[K] };
  own.children = inert(props.children);
  for (const name of SHOWN) {
    const text = props[name];
    if (typeof text === 'string') own[name] = printable(text);
  }
}

function inert(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return printable(children);
  return Array.isArray(children) ? children.map(inert) : children;
}
