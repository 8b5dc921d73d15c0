/** The naming rule (cloud C-14), which the vendor's examples break: names that do are logged, or rejected by `strictNames`. */
import type { Log } from '../../kernel/log.js';
import { ApiFault } from '../http/errors.js';
import type { ApiOptions } from './family.js';

const RULE = /^[a-z][a-z0-9-]+[a-z0-9]$/;

export interface Names {
  /** The name to store for the name in a request. @throws ApiFault 400 if it breaks the rule and `strictNames` is set */
  read(given: string): string;
  /** Logs a stored name that breaks the rule. Call it after the commit. @param given undefined: the name was not changed */
  note(given: string | undefined): void;
}

export function namesOf(
  what: 'space' | 'device' | 'tag' | 'connector',
  log: Log,
  { strictNames }: Pick<ApiOptions, 'strictNames'>,
): Names {
  return {
    read(given) {
      const name = given.trim();
      if (RULE.test(name) || !strictNames) return name;
      const wanted =
        'a name of at least 3 lower-case letters, digits and hyphens that starts with a letter and does not end with a hyphen';
      throw new ApiFault(400, `body/name "${name}" is not ${wanted}`, 'FST_ERR_VALIDATION');
    },
    note(given) {
      const name = given?.trim();
      if (name !== undefined && !RULE.test(name)) log.warn({ name }, `the name of a ${what} breaks the naming rule`);
    },
  };
}
