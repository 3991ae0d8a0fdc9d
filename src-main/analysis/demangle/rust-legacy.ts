/** Rust's old mangling: C++'s nested names, ending in a hash, with escapes for what C++ does not allow. */

const HASH = /^h[0-9a-f]{16}$/;
const MIN_DISTINCT_DIGITS = 5;
const CLONE = /^(?:\.[\w.]+)?$/;

const escapes: Readonly<Record<string, string>> = {
  C: ',',
  SP: '@',
  BP: '*',
  RF: '&',
  LT: '<',
  GT: '>',
  LP: '(',
  RP: ')',
};

/** The readable name of `_ZN…17h0123456789abcdefE`, without the hash; `undefined` where it is none. */
export function demangleRustLegacy(symbol: string): string | undefined {
  const start = /^_{1,3}ZN/.exec(symbol)?.[0];
  if (start === undefined || !symbol.includes('17h')) return undefined;
  const parts: string[] = [];
  let at = start.length;
  while (symbol[at] !== 'E') {
    const digits = /^\d{1,5}/.exec(symbol.slice(at, at + 5))?.[0];
    if (digits === undefined) return undefined;
    at += digits.length;
    const part = symbol.slice(at, at + Number(digits));
    if (part.length < Number(digits)) return undefined;
    parts.push(part);
    at += part.length;
  }
  const hash = parts.pop();
  if (parts.length === 0 || hash === undefined || !isHash(hash)) return undefined;
  if (!CLONE.test(symbol.slice(at + 1))) return undefined;
  return parts.map(unescaped).join('::');
}

const isHash = (part: string) =>
  HASH.test(part) && new Set(part.slice(1)).size >= MIN_DISTINCT_DIGITS;

function unescaped(part: string): string {
  return part
    .replace(/^_\$/, '$')
    .replace(/\$([A-Z]{1,2}|u[0-9a-f]{1,6})\$|\.\./g, (written, code: string | undefined) => {
      if (code === undefined) return '::';
      const known = escapes[code];
      if (known !== undefined) return known;
      const point = Number.parseInt(code.slice(1), 16);
      return code.startsWith('u') && isPrintable(point) ? String.fromCodePoint(point) : written;
    });
}

const isPrintable = (point: number) =>
  point >= 0x20 &&
  point <= 0x10_ff_ff &&
  (point < 0x7f || point > 0x9f) &&
  !(point >= 0xd8_00 && point <= 0xdf_ff);
