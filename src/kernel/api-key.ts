/** The form of an API key: it is sent in a header. */

/** What is wrong with an API key, such as `is empty`; undefined if it can be sent. */
export function faultOfKey(apiKey: string): string | undefined {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return undefined;
  return apiKey === '' ? 'is empty' : 'contains spaces or characters other than visible ASCII';
}
