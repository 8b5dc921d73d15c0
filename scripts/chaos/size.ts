/** The size of a trial: an environment variable with a whole number from 1. @param usual value if the variable is not set */
export function size(name: string, usual: number): number {
  const text = process.env[name];
  const value = text === undefined ? usual : Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} "${text}" is not a whole number from 1`);
  return value;
}
