/**
 * The names of spaces, devices, tags and connectors (cloud API gaps, 2.9). The vendor's documentation has a rule for them that
 * its own examples do not keep. So a name that breaks it passes, and is noted in the log; who wants to keep the rule has such
 * names refused.
 */
import type { Log } from '../../kernel/log.js';
import { ApiFault } from '../http/errors.js';
import type { ApiOptions } from './family.js';

const RULE = /^[a-z][a-z0-9-]+[a-z0-9]$/;

/** Makes what a name is stored as of the name that a request gives. @throws ApiFault 400 when the rule is to be kept */
export type ReadName = (what: 'space' | 'device' | 'tag' | 'connector', given: string) => string;

export function nameReader(log: Log, { strictNames }: Pick<ApiOptions, 'strictNames'>): ReadName {
  return (what, given) => {
    const name = given.trim();
    if (RULE.test(name)) return name;
    if (strictNames) {
      const wanted = 'a name of lower-case letters, digits and hyphens, with a letter first and no hyphen last';
      throw new ApiFault(400, `body/name "${name}" is not ${wanted}`, 'FST_ERR_VALIDATION');
    }
    log.warn({ name }, `the name of a ${what} breaks the naming rule`);
    return name;
  };
}
