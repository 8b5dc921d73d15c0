/** Identity of the device in the mobile network, as texts of decimal digits. */
export interface Subscriber {
  readonly imei: string;
  readonly imsi: string;
  readonly iccid: string;
}

/** Identity in the mobile network. Country code 999 is reserved for private networks, so no operator has these numbers. */
export function subscriberOf(serial: number): Subscriber {
  const digits = String(serial).padStart(10, '0');
  return {
    imei: withCheckDigit(`3599${digits}`),
    imsi: `99999${digits}`,
    iccid: withCheckDigit(`89999999${digits}`),
  };
}

/** Appends the Luhn check digit of an IMEI or ICCID. */
function withCheckDigit(digits: string): string {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const doubled = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits + ((10 - (sum % 10)) % 10);
}
