/** 1K = 1024, as the agent reads sizes. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
};

/** A size as `500M`, `1.5G` or `2 GiB`, in bytes; `undefined` where it is none. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = ''] =
    /^\s*(\d{1,15}(?:\.\d{1,6})?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  if (number === undefined || factor === undefined) return undefined;
  const bytes = Math.floor(Number(number) * factor);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
