/** Numbers of a set, 0 to MOST − 1. */
const MOST = 1 << 20;

/** Of a set as text: a bit for each number up to the highest, four for three bytes. */
export const LONGEST_NUMBER_SET = Math.ceil(MOST / 8 / 3) * 4;

/** A set of numbers as short text (base64 of a bit for each), whatever is in it; others than those that may be are left out. */
export function packNumbers(numbers: Iterable<number>): string {
  const set = [...numbers].filter((each) => Number.isInteger(each) && each >= 0 && each < MOST);
  const bytes = new Uint8Array(set.reduce((length, each) => Math.max(length, (each >> 3) + 1), 0));
  for (const each of set) bytes[each >> 3] |= 1 << (each & 7);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** The numbers of a set, lowest first; undefined where the text is of none. */
export function unpackNumbers(text: string): number[] | undefined {
  if (text.length > LONGEST_NUMBER_SET || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  if (text.length % 4 !== 0) return undefined;
  const numbers: number[] = [];
  [...atob(text)].forEach((character, at) => {
    const byte = character.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) numbers.push(at * 8 + bit);
  });
  return numbers;
}
