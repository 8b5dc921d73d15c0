/** Wraps a store so that faults can make its calls fail. */
import type { Store } from '../../cloud/store/store.js';

export type StoreUse = 'read' | 'write';

const WRITES: ReadonlySet<string> = new Set<keyof Store>(['commit', 'prune']);

/** @param check called before each call except `close`; if it throws an error, the call fails with this error */
export function checkedStore(store: Store, check: (use: StoreUse) => void): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const member = target[name];
      if (typeof member !== 'function') return member;
      if (name === 'close') return () => target.close();
      const use = WRITES.has(name) ? 'write' : 'read';
      return async (...args: readonly unknown[]): Promise<unknown> => {
        check(use);
        return Reflect.apply(member, target, args);
      };
    },
  });
}
