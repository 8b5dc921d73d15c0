/**
 * Masks secrets in shell lines of a device and in their output: claim token, LoRaWAN keys, the password of the access point,
 * the Bluetooth passkey, the pre-shared key of DTLS (shell S-19). The firmware prints secrets on request, also in answers to
 * the cloud. Consoles, plans, reports and the trace mask them.
 */
const MASK = '********';

/** Claim tokens and LoRaWAN keys; no other output of a device has this form. */
const TOKEN = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/gi;
/** Part of a word that names a secret, such as `password`, `appskey` or `lte/password`. */
const NAME = /passw|key|token|secret/i;
/** Matches `lte config password "sesame"` and `ble passkey: 123456`, but no empty value (`""`, `(unset)`). */
const PRINTED = /^(\S+ config (\S+) |(?:claim token|ble passkey): )(?!""$|\(unset\)$).+/i;
/** A command that prints the bare value. */
const READING = /^\s*settings\s+read\s(.*)/i;

// Devices choose these texts, so no expression here may take longer than one pass over them.

export function withoutSecrets(line: string): string {
  const shown = line.trim().replace(TOKEN, MASK);
  const end = findSecret(shown);
  return end === undefined ? shown : shown.slice(0, end) + MASK;
}

/** Where the typed value of a secret begins; undefined if the line has none. */
function findSecret(line: string): number | undefined {
  const words = [...line.matchAll(/\S+/g)];
  const at = words.findIndex(([word], i) => {
    const before = words[i - 1]?.[0] ?? '';
    if (/\bconfig$/i.test(before) && word.includes('*')) return true;
    return NAME.test(word) || (/\bpsk$/i.test(before) && /^set$/i.test(word));
  });
  return at === -1 ? undefined : words[at + 1]?.index;
}

/** Masks the secrets in the output of a line. @param code result code of the line */
export function printedWithoutSecrets(line: string, code: number, printed: readonly string[]): readonly string[] {
  if (code === 0 && NAME.test(READING.exec(line)?.[1] ?? '')) return printed.map(() => MASK);
  return printed.map((text) => withoutPrinted(text).replace(TOKEN, MASK));
}

function withoutPrinted(text: string): string {
  const [, label, name] = PRINTED.exec(text) ?? [];
  return label === undefined || (name !== undefined && !NAME.test(name)) ? text : label + MASK;
}
