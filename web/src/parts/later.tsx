/**
 * Components that are loaded when they are first shown. `lazy` of preact/compat is not used, because it ends the effects of the
 * whole surrounding page while it loads.
 */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { runEnd } from '../model/run.js';
import { Failure } from './failure.js';

/** @param title heading of a page while it loads; omitted for a part of a page */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, title?: string): ComponentType<P> {
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
        () =>
          setFailure(
            runEnd.peek()
              ? 'The run has ended. Only pages that were open before can still be shown.'
              : 'A part of the console could not be loaded. Load the page again.',
          ),
      );
    }, []);
    if (Content) return <Content {...props} />;
    const state = failure === '' ? <p class="wait">Loading …</p> : <Failure text={failure} />;
    if (title === undefined) return state;
    return (
      <div class="page">
        <h1>{title}</h1>
        {state}
      </div>
    );
  };
}
