/** Result codes of shell commands (firmware shell, head): Zephyr's errno values, negative. */
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

/** The code for a value that the configuration rejects. */
export const REJECTED_VALUE = { unsaid: 0, invalid: EINVAL, 'too long': ENOMEM } as const;
