/** Headers of all requests that ghostfleet sends. */

/** Firewalls reject requests without a user agent. */
export const USER_AGENT = { 'user-agent': 'ghostfleet' } as const;

/** Headers of requests whose answers are read: they are not decompressed. */
export const REQUEST_HEADERS = { ...USER_AGENT, 'accept-encoding': 'identity' } as const;
