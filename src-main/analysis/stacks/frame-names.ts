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

/** The name of a kernel or function as a person reads it: a mangled C++ or Rust one is, any other stays as recorded. */
export function readableName(recorded: string): string {
  const readable = demangle(recorded);
  return readable === recorded ? recorded : cleanText(readable, MAX_READABLE);
}

/** `frame` with the name a person reads, where its symbol is a mangled C++ or Rust name. */
export function namedFrame(frame: Frame): NamedFrame {
  if (frame.language !== 'native') return frame;
  const symbol = withoutOffset(frame.symbol);
  const readable = readableName(symbol);
  return readable === symbol ? frame : { ...frame, demangled: readable };
}
