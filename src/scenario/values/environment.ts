import { quote } from '../../input/problems.js';

/** How the names of environment variables begin that give values to the variables of a scenario. */
export const ENVIRONMENT = 'GHOSTFLEET_VAR_';

/** The begin of a message about a value for a variable that does not exist. */
export function describeGiven(name: string): string {
  return `${quote(name)}, from --var or ${ENVIRONMENT}${name} in the environment,`;
}
