/** Wraps a store so that faults can make its calls fail, and so that real failures are noticed. */
import { type Store, StoreUnavailable } from '../../cloud/store/store.js';
import type { StoreUse } from '../../scenario/faults/kind.js';

const WRITES: ReadonlySet<string> = new Set<keyof Store>(['clearSpace', 'commit', 'prune']);

/**
 * @param check called before each call except `close`; if it throws an error, the call fails with this error
 * @param failed called with each failure of the store itself
 */
export function checkedStore(
  store: Store,
  check: (use: StoreUse) => void,
  failed: (error: StoreUnavailable) => void = () => {},
): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const member = target[name];
      if (typeof member !== 'function') return member;
      if (name === 'close') return () => target.close();
      const use = WRITES.has(name) ? 'write' : 'read';
      return async (...args: readonly unknown[]): Promise<unknown> => {
        check(use);
        try {
          return await Reflect.apply(member, target, args);
        } catch (error) {
          if (error instanceof StoreUnavailable) failed(error);
          throw error;
        }
      };
    },
  });
}
