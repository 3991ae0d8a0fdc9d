import { NotMangled } from './not-mangled.ts';
import { decodePunycode } from './punycode.ts';

const MAX_DEPTH = 128;
const MAX_LENGTH = 16_384;

const basicTypes: Readonly<Record<string, string>> = {
  a: 'i8',
  b: 'bool',
  c: 'char',
  d: 'f64',
  e: 'str',
  f: 'f32',
  h: 'u8',
  i: 'isize',
  j: 'usize',
  l: 'i32',
  m: 'u32',
  n: 'i128',
  o: 'u128',
  p: '_',
  s: 'i16',
  t: 'u16',
  u: '()',
  v: '...',
  x: 'i64',
  y: 'u64',
  z: '!',
};

/** Rust's v0 mangling (RFC 2603), written as binutils' c++filt does without hashes. */
export class RustV0 {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #written = 0;
  #lifetimes = 0;

  /** `mangled`: behind `_R`. */
  constructor(mangled: string) {
    this.#text = mangled;
  }

  demangle(): string {
    this.#takeWhile(/\d/);
    const path = this.#path(true);
    // The crate it was instantiated in says nothing of what it is.
    if (this.#at < this.#text.length && this.#peek() !== '.') this.#path(false);
    const rest = this.#text.slice(this.#at);
    if (rest !== '' && !rest.startsWith('.')) throw new NotMangled('more than a path');
    // What a compiler put behind it says nothing to a reader, and c++filt leaves it out.
    return path;
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #next(): string {
    const letter = this.#peek();
    if (letter === '') throw new NotMangled('ends early');
    this.#at++;
    return letter;
  }

  #take(letter: string): boolean {
    if (this.#peek() !== letter) return false;
    this.#at++;
    return true;
  }

  #takeWhile(pattern: RegExp): string {
    const from = this.#at;
    while (this.#peek() !== '' && pattern.test(this.#peek())) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  /** `_` = 0, `0_` = 1. Numbers of crates are hashes, larger than is exact: nobody reads these. */
  #base62(): number {
    const digits = this.#takeWhile(/[0-9a-zA-Z]/);
    if (!this.#take('_')) throw new NotMangled('no number');
    if (digits === '') return 0;
    let value = 0;
    for (const digit of digits)
      value =
        value * 62 +
        (/\d/.test(digit) ? Number(digit) : digit.charCodeAt(0) - (digit > 'Z' ? 87 : 29));
    return value + 1;
  }

  #optionalBase62(tag: string): number {
    return this.#take(tag) ? this.#base62() + 1 : 0;
  }

  /** Runs a rule one level deeper, and counts what it writes: names refer to parts of themselves. */
  #nested(rule: () => string): string {
    if (++this.#depth > MAX_DEPTH) throw new NotMangled('nested too deep');
    const written = rule();
    this.#depth--;
    this.#written += written.length;
    if (this.#written > MAX_LENGTH * 16) throw new NotMangled('too long');
    return written;
  }

  /** Reads elsewhere what was written there once. */
  #backReference(rule: () => string): string {
    const from = this.#at - 1;
    const to = this.#base62();
    if (to >= from) throw new NotMangled('refers to nothing');
    const before = this.#at;
    this.#at = to;
    const written = this.#nested(rule);
    this.#at = before;
    return written;
  }

  #listUntilE(rule: () => string): string[] {
    const items: string[] = [];
    while (!this.#take('E')) items.push(rule());
    return items;
  }

  #path(inValue: boolean): string {
    return this.#nested(() => {
      const tag = this.#next();
      switch (tag) {
        case 'C':
          this.#optionalBase62('s');
          return this.#identifier();
        case 'N':
          return this.#nestedPath(inValue);
        case 'M':
        case 'X':
        case 'Y':
          return this.#implementation(tag);
        case 'I': {
          const path = this.#path(inValue);
          return `${path}${inValue ? '::' : ''}<${this.#listUntilE(() => this.#genericArg()).join(', ')}>`;
        }
        case 'B':
          return this.#backReference(() => this.#path(inValue));
        default:
          throw new NotMangled('no path');
      }
    });
  }

  #nestedPath(inValue: boolean): string {
    const space = this.#next();
    const path = this.#path(inValue);
    const number = this.#optionalBase62('s');
    const name = this.#identifier();
    if (!/[A-Z]/.test(space)) return name === '' ? path : `${path}::${name}`;
    const kind = { C: 'closure', S: 'shim' }[space] ?? space;
    return `${path}::{${kind}${name === '' ? '' : `:${name}`}#${number}}`;
  }

  /** `<Type>` or `<Type as Trait>`; where it was written down is left out. */
  #implementation(tag: 'M' | 'X' | 'Y'): string {
    if (tag !== 'Y') {
      this.#optionalBase62('s');
      this.#path(false);
    }
    const type = this.#type();
    return tag === 'M' ? `<${type}>` : `<${type} as ${this.#path(false)}>`;
  }

  #identifier(): string {
    const isPunycode = this.#take('u');
    const length = this.#take('0') ? 0 : Number(this.#takeWhile(/\d/));
    this.#take('_');
    const name = this.#text.slice(this.#at, this.#at + length);
    if (name.length < length) throw new NotMangled('ends early');
    this.#at += length;
    return isPunycode ? decodePunycode(name) : name;
  }

  #genericArg(): string {
    if (this.#take('L')) return this.#lifetime();
    return this.#take('K') ? this.#constant(false) : this.#type();
  }

  #lifetime(): string {
    const index = this.#base62();
    if (index === 0) return "'_";
    const depth = this.#lifetimes - index;
    if (depth < 0) throw new NotMangled('no such lifetime');
    return depth < 26 ? `'${String.fromCharCode(97 + depth)}` : `'_${depth}`;
  }

  #type(): string {
    return this.#nested(() => {
      const tag = this.#next();
      const basic = basicTypes[tag];
      if (basic !== undefined) return basic;
      switch (tag) {
        case 'R':
        case 'Q': {
          const lifetime = this.#take('L') ? this.#lifetime() : "'_";
          return `&${lifetime === "'_" ? '' : `${lifetime} `}${tag === 'Q' ? 'mut ' : ''}${this.#type()}`;
        }
        case 'P':
        case 'O':
          return `*${tag === 'P' ? 'const' : 'mut'} ${this.#type()}`;
        case 'A':
          return `[${this.#type()}; ${this.#constant(true)}]`;
        case 'S':
          return `[${this.#type()}]`;
        case 'T': {
          const items = this.#listUntilE(() => this.#type());
          return `(${items.join(', ')}${items.length === 1 ? ',' : ''})`;
        }
        case 'F':
          return this.#bound(() => this.#functionType());
        case 'D':
          return this.#dynamicType();
        case 'B':
          return this.#backReference(() => this.#type());
        default:
          this.#at--;
          return this.#path(false);
      }
    });
  }

  /** `for<'a, 'b> …` */
  #bound(rule: () => string): string {
    const before = this.#lifetimes;
    const count = this.#optionalBase62('G');
    if (count > 64) throw new NotMangled('too many lifetimes');
    this.#lifetimes += count;
    const names = Array.from(
      { length: count },
      (_, at) => `'${String.fromCharCode(97 + ((before + at) % 26))}`,
    );
    const written = rule();
    this.#lifetimes = before;
    return count === 0 ? written : `for<${names.join(', ')}> ${written}`;
  }

  #functionType(): string {
    const isUnsafe = this.#take('U');
    let abi = '';
    if (this.#take('K')) abi = this.#take('C') ? 'C' : this.#identifier().replaceAll('_', '-');
    const params = this.#listUntilE(() => this.#type()).join(', ');
    const result = this.#take('u') ? '' : ` -> ${this.#type()}`;
    return `${isUnsafe ? 'unsafe ' : ''}${abi === '' ? '' : `extern "${abi}" `}fn(${params})${result}`;
  }

  #dynamicType(): string {
    const traits = this.#bound(() => this.#listUntilE(() => this.#dynamicTrait()).join(' + '));
    if (!this.#take('L')) throw new NotMangled('no lifetime');
    const lifetime = this.#lifetime();
    return `dyn ${traits}${lifetime === "'_" ? '' : ` + ${lifetime}`}`;
  }

  /** A trait with its associated types among its arguments. */
  #dynamicTrait(): string {
    const path = this.#path(false);
    const bindings: string[] = [];
    while (this.#take('p')) {
      const name = this.#identifier();
      bindings.push(`${name} = ${this.#type()}`);
    }
    if (bindings.length === 0) return path;
    return path.endsWith('>')
      ? `${path.slice(0, -1)}, ${bindings.join(', ')}>`
      : `${path}<${bindings.join(', ')}>`;
  }

  #constant(_inValue: boolean): string {
    return this.#nested(() => {
      if (this.#take('B')) return this.#backReference(() => this.#constant(false));
      const type = this.#next();
      if (type === 'p') return '_';
      const isNegative = this.#take('n');
      const digits = this.#takeWhile(/[0-9a-f]/);
      if (!this.#take('_') || basicTypes[type] === undefined) throw new NotMangled('no constant');
      const value = digits === '' ? 0n : BigInt(`0x${digits}`);
      if (type === 'b') return value === 1n ? 'true' : 'false';
      if (type === 'c') return charText(Number(value));
      if (digits.length > 16) return `0x${digits}`;
      return `${isNegative ? '-' : ''}${value}`;
    });
  }
}

function charText(point: number): string {
  const named: Readonly<Record<number, string>> = {
    9: '\\t',
    10: '\\n',
    13: '\\r',
    39: "\\'",
    92: '\\\\',
  };
  if (point > 0x10_ff_ff) throw new NotMangled('no character');
  const isPlain = point >= 0x20 && point < 0x7f;
  return `'${named[point] ?? (isPlain ? String.fromCodePoint(point) : `\\u{${point.toString(16)}}`)}'`;
}
