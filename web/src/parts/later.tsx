/**
 * Components that are loaded when they are first shown. Not `lazy` of preact/compat: while it loads, it ends the effects of
 * the whole page around it.
 */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from './failure.js';

export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [Content, setContent] = useState(() => loaded);
    const [failure, setFailure] = useState('');
    useEffect(() => {
      if (loaded) return;
      load().then(
        (component) => {
          loaded = component;
          setContent(() => component);
        },
        () => setFailure('A part of the console could not be loaded. Load the page again.'),
      );
    }, []);
    if (Content) return <Content {...props} />;
    return failure === '' ? <p class="wait">Loading …</p> : <Failure text={failure} />;
  };
}
