/** How the names of environment variables begin that give values to the variables of a scenario. */
export const ENVIRONMENT = 'GHOSTFLEET_VAR_';
