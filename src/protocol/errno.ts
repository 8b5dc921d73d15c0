/** Result codes of shell commands (shell S-1). Errors are Zephyr's errno values as negative numbers. */
export const OK = 0;
/** The shell printed the help of a command instead of running it. */
export const HELP_PRINTED = 1;

export const EPERM = -1;
export const ENOENT = -2;
export const EIO = -5;
export const ENOEXEC = -8;
export const ENOMEM = -12;
export const EBUSY = -16;
export const EEXIST = -17;
export const ENODEV = -19;
export const EINVAL = -22;
export const ENOSPC = -28;
export const ENODATA = -61;
export const ETIMEDOUT = -116;
export const ENOTSUP = -134;

/** The code for a rejected value of a parameter, by the kind of fault. `unsaid`: the firmware prints an error but returns 0. */
export const REJECTED_VALUE = { unsaid: 0, invalid: EINVAL, 'too long': ENOMEM } as const;

const MEANINGS: Readonly<Record<number, readonly [name: string, meaning: string]>> = {
  [EPERM]: ['EPERM', 'not permitted'],
  [ENOENT]: ['ENOENT', 'not found'],
  [EIO]: ['EIO', 'input or output failed'],
  [ENOEXEC]: ['ENOEXEC', 'cannot be executed'],
  [ENOMEM]: ['ENOMEM', 'too long for the memory: lines have at most 255 characters'],
  [EBUSY]: ['EBUSY', 'busy'],
  [EEXIST]: ['EEXIST', 'exists already'],
  [ENODEV]: ['ENODEV', 'no such hardware'],
  [EINVAL]: ['EINVAL', 'invalid command or value'],
  [ENOSPC]: ['ENOSPC', 'no space left'],
  [ENODATA]: ['ENODATA', 'no data'],
  [ETIMEDOUT]: ['ETIMEDOUT', 'no answer in time'],
  [ENOTSUP]: ['ENOTSUP', 'not supported'],
};

/**
 * Text of a negative code, such as `error -2 (ENOENT: not found)`; only the number for a code that is not in the list above.
 */
export function errorText(code: number): string {
  const known = MEANINGS[code];
  return known ? `error ${code} (${known.join(': ')})` : `error ${code}`;
}
