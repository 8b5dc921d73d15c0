/** A store that does not always do what it is asked. */
import type { Store } from '../../cloud/store/store.js';

export type StoreUse = 'read' | 'write';

const WRITES: ReadonlySet<string> = new Set<keyof Store>(['commit', 'prune']);

/** @param check asked before each call; throws what it is to fail with */
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
