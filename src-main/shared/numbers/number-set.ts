/** So far apart the lowest and the highest number of a set may be. */
const MOST = 1 << 20;
/** Of the lowest number, as it is written. */
const MOST_DIGITS = 16;

/** Of a set as text: its lowest number, and a bit for each from there on, four characters for three bytes. */
export const LONGEST_NUMBER_SET = MOST_DIGITS + 1 + Math.ceil(MOST / 8 / 3) * 4;

/** A set of whole numbers from 0 on as short text (base64 of a bit for each), none further from the lowest than MOST. */
export function packNumbers(numbers: Iterable<number>): string {
  const all = [...numbers].filter((each) => Number.isSafeInteger(each) && each >= 0);
  if (all.length === 0) return '';
  const least = all.reduce((lowest, each) => Math.min(lowest, each));
  const set = all.map((each) => each - least).filter((each) => each < MOST);
  const highest = set.reduce((most, each) => Math.max(most, each));
  const bytes = new Uint8Array((highest >> 3) + 1);
  for (const each of set) bytes[each >> 3] |= 1 << (each & 7);
  return `${least}.${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
}

/** The numbers of a set, lowest first; undefined where the text is of none. */
export function unpackNumbers(text: string): number[] | undefined {
  if (text === '') return [];
  if (text.length > LONGEST_NUMBER_SET) return undefined;
  const [, digits, bits] = /^(\d{1,16})\.([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const least = Number(digits);
  if (bits === undefined || bits.length % 4 !== 0 || !Number.isSafeInteger(least + MOST))
    return undefined;
  const numbers: number[] = [];
  [...atob(bits)].forEach((character, at) => {
    const byte = character.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) numbers.push(least + at * 8 + bit);
  });
  return numbers;
}
