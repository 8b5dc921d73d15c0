/** The naming rule (cloud C-14), which the vendor's examples break: names that do are logged, or rejected by `strictNames`. */
import type { Log } from '../../kernel/log.js';
import { ApiFault } from '../http/errors.js';
import type { ApiOptions } from './family.js';

const RULE = /^[a-z][a-z0-9-]+[a-z0-9]$/;

/** Returns the name to store for the name in a request. @throws ApiFault 400 if it breaks the rule and `strictNames` is set */
export type ReadName = (what: 'space' | 'device' | 'tag' | 'connector', given: string) => string;

export function nameReader(log: Log, { strictNames }: Pick<ApiOptions, 'strictNames'>): ReadName {
  return (what, given) => {
    const name = given.trim();
    if (RULE.test(name)) return name;
    if (strictNames) {
      const wanted =
        'a name of at least 3 lower-case letters, digits and hyphens that starts with a letter and does not end with a hyphen';
      throw new ApiFault(400, `body/name "${name}" is not ${wanted}`, 'FST_ERR_VALIDATION');
    }
    log.warn({ name }, `the name of a ${what} breaks the naming rule`);
    return name;
  };
}
