/**
 * Masks secrets in shell lines of a device and in their output: claim token, LoRaWAN keys, the password of the access point,
 * the Bluetooth passkey, the pre-shared key of DTLS (shell S-19). The firmware prints secrets on request, also in answers to
 * the cloud. Consoles, plans, reports and the trace mask them.
 */
const MASK = '********';

/** Claim tokens and LoRaWAN keys; no other output of a device has this form. */
const TOKEN = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/gi;
/** A word that names a secret, such as `password`, `appskey` or `lte/password`. */
const NAME = String.raw`\S*(?:passw|key|token|secret)\S*`;
/** The value that is typed after such a name, or after a pattern such as `pass*` that may match such a name (shell S-11). */
const TYPED = new RegExp(String.raw`((?:${NAME}|\bconfig\s+\S*\*\S*|\bpsk\s+set)\s+).+`, 'i');
/** Matches `lte config password "sesame"` and `ble passkey: 123456`, but no empty value (`""`, `(unset)`). */
const PRINTED = new RegExp(String.raw`^(\S+ config ${NAME} |(?:claim token|ble passkey): )(?!""$|\(unset\)$).+`, 'i');
/** A command that prints the bare value. */
const READING = new RegExp(String.raw`^\s*settings\s+read\s.*${NAME}`, 'i');

export function withoutSecrets(line: string): string {
  return line.trim().replace(TOKEN, MASK).replace(TYPED, `$1${MASK}`);
}

/** Masks the secrets in the output of a line. @param code result code of the line */
export function printedWithoutSecrets(line: string, code: number, printed: readonly string[]): readonly string[] {
  if (code === 0 && READING.test(line)) return printed.map(() => MASK);
  return printed.map((text) => text.replace(PRINTED, `$1${MASK}`).replace(TOKEN, MASK));
}
