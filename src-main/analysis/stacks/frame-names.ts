import type { NamedFrame } from '../../shared/answers/flame.ts';
import type { Frame } from '../../shared/model/stacks.ts';
import { cleanText } from '../../shared/text/text.ts';
import { demangle } from '../demangle/demangle.ts';

const OFFSET = /\+0x[0-9a-f]+$/i;
/** Longer names are cut: nobody reads them, and a trace may have many. */
const MAX_READABLE = 4_096;

/** `symbol` without the offset into it that a recorder put behind it: `copy_+0x57`. */
export function withoutOffset(symbol: string): string {
  return symbol.includes('+0') ? symbol.replace(OFFSET, '') : symbol;
}

/** A symbol as a person reads it, of whatever length. */
export function readableSymbol(symbol: string): string {
  return cleanText(demangle(symbol), MAX_READABLE);
}

/** `frame` with the name a person reads, where its symbol is a mangled C++ or Rust name. */
export function namedFrame(frame: Frame): NamedFrame {
  if (frame.language !== 'native') return frame;
  const symbol = withoutOffset(frame.symbol);
  const readable = demangle(symbol);
  return readable === symbol ? frame : { ...frame, demangled: cleanText(readable, MAX_READABLE) };
}
