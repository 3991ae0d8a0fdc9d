import { NotMangled } from './not-mangled.ts';

/** Punycode (RFC 3492) as Rust has it in names: the plain letters, `_`, and where the others go. */

const MAX_LETTERS = 1_024;

/** Throws NotMangled where `encoded` is no punycode, or longer than any name. */
export function decodePunycode(encoded: string): string {
  const split = encoded.lastIndexOf('_');
  const letters = [...(split < 0 ? '' : encoded.slice(0, split))];
  const digits = encoded.slice(split + 1);
  let at = 0;
  let point = 0x80;
  let position = 0;
  let bias = 72;
  while (at < digits.length) {
    const from = position;
    let weight = 1;
    for (let k = 36; ; k += 36) {
      const digit = digitOf(digits[at++]);
      position += digit * weight;
      const limit = Math.min(26, Math.max(1, k - bias));
      if (digit < limit) break;
      weight *= 36 - limit;
      if (!Number.isSafeInteger(position + weight)) throw new NotMangled('a number too large');
    }
    const count = letters.length + 1;
    bias = adapt(position - from, count, from === 0);
    point += Math.floor(position / count);
    position %= count;
    if (point > 0x10_ff_ff || count > MAX_LETTERS) throw new NotMangled('no character');
    letters.splice(position++, 0, String.fromCodePoint(point));
  }
  return letters.join('');
}

function digitOf(letter: string | undefined): number {
  if (letter !== undefined && /[a-z]/.test(letter)) return letter.charCodeAt(0) - 97;
  if (letter !== undefined && /\d/.test(letter)) return Number(letter) + 26;
  throw new NotMangled('no punycode');
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let left = Math.floor(delta / (isFirst ? 700 : 2));
  left += Math.floor(left / count);
  let k = 0;
  for (; left > 455; k += 36) left = Math.floor(left / 35);
  return k + Math.floor((36 * left) / (left + 38));
}
