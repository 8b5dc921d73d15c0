/** The executors of k6, each with the keys that a load has in its place. */
export const EXECUTORS: Readonly<Record<string, { readonly keys: string; readonly about: string }>> = {
  'constant-arrival-rate': { keys: 'rate: 50/s', about: 'iterations at a steady rate, whatever the answers' },
  'ramping-arrival-rate': { keys: 'rate: { 0s: 1/s..50/s, 5m: 50/s }', about: 'iterations at a rate that changes' },
  'constant-vus': { keys: 'users: 10', about: 'users that each begin the next iteration after the last one' },
  'ramping-vus': { keys: 'users: { 0s: 0..10, 5m: 10 }', about: 'users that come and go' },
  'shared-iterations': { keys: 'users: 10, iterations: 1000', about: 'a number of iterations that users share' },
  'per-device': { keys: 'per: device, over: 10m', about: 'one iteration for each device of "to" (not in k6)' },
};
