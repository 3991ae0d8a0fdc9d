import { CUT_MARK, MAX_SYMBOL_LENGTH } from '../../shared/text/text.ts';
import { readMangled } from './encodings.ts';
import { NotMangled } from './not-mangled.ts';
import { Printer } from './print.ts';
import { demangleRustLegacy } from './rust-legacy.ts';
import { RustV0 } from './rust-v0.ts';

const CLONE = /^(?:\.(?:[A-Za-z_]\w*|\d+)(?:\.\d+)*)/;

/**
 * A C++ (Itanium ABI) or Rust symbol as a person reads it, written as binutils' c++filt does. Any
 * other name, and one that can't be read, that was cut or is too much work, is returned as it is. Never
 * throws.
 */
export function demangle(symbol: string): string {
  if (!/^_{1,4}[ZR]/.test(symbol)) return symbol;
  // The longest of libtorch has 5,000 characters.
  if (symbol.length > MAX_SYMBOL_LENGTH || symbol.endsWith(CUT_MARK)) return symbol;
  const read = symbol.startsWith('_R')
    ? attempt(() => new RustV0(symbol.slice(2)).demangle())
    : undefined;
  return read ?? demangleRustLegacy(symbol) ?? attempt(() => demangleCpp(symbol)) ?? symbol;
}

function attempt(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof NotMangled) return undefined;
    throw thrown;
  }
}

function demangleCpp(symbol: string): string | undefined {
  const version = symbol.indexOf('@');
  const name = version < 0 ? symbol : symbol.slice(0, version);
  if (!name.startsWith('_Z')) return undefined;
  const { node, rest } = readMangled(name.slice(2));
  const clones = cloneWords(rest);
  if (clones === undefined) return undefined;
  return new Printer().print(node) + clones + (version < 0 ? '' : symbol.slice(version));
}

/** ` [clone .isra.0]` for what a compiler put behind a name; `undefined` where it is something else. */
function cloneWords(rest: string): string | undefined {
  let words = '';
  let left = rest;
  while (left !== '') {
    const clone = CLONE.exec(left)?.[0];
    if (clone === undefined) return undefined;
    words += ` [clone ${clone}]`;
    left = left.slice(clone.length);
  }
  return words;
}
