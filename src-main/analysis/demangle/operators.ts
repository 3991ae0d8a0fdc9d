/** Operators by their code, as they are written. */
export const operators: Readonly<Record<string, string>> = {
  nw: 'new',
  na: 'new[]',
  dl: 'delete',
  da: 'delete[]',
  aw: 'co_await',
  ps: '+',
  ng: '-',
  ad: '&',
  de: '*',
  co: '~',
  pl: '+',
  mi: '-',
  ml: '*',
  dv: '/',
  rm: '%',
  an: '&',
  or: '|',
  eo: '^',
  aS: '=',
  pL: '+=',
  mI: '-=',
  mL: '*=',
  dV: '/=',
  rM: '%=',
  aN: '&=',
  oR: '|=',
  eO: '^=',
  ls: '<<',
  rs: '>>',
  lS: '<<=',
  rS: '>>=',
  eq: '==',
  ne: '!=',
  lt: '<',
  gt: '>',
  le: '<=',
  ge: '>=',
  ss: '<=>',
  nt: '!',
  aa: '&&',
  oo: '||',
  pp: '++',
  mm: '--',
  cm: ',',
  pm: '->*',
  pt: '->',
  cl: '()',
  ix: '[]',
  qu: '?',
};

/** How many operands an operator has in an expression; the others have two. */
export const unary: ReadonlySet<string> = new Set(['ps', 'ng', 'ad', 'de', 'co', 'nt']);

/** Types of one or two letters. */
export const builtinTypes: Readonly<Record<string, string>> = {
  v: 'void',
  w: 'wchar_t',
  b: 'bool',
  c: 'char',
  a: 'signed char',
  h: 'unsigned char',
  s: 'short',
  t: 'unsigned short',
  i: 'int',
  j: 'unsigned int',
  l: 'long',
  m: 'unsigned long',
  x: 'long long',
  y: 'unsigned long long',
  n: '__int128',
  o: 'unsigned __int128',
  f: 'float',
  d: 'double',
  e: 'long double',
  g: '__float128',
  z: '...',
  Dd: 'decimal64',
  De: 'decimal128',
  Df: 'decimal32',
  Dh: 'half',
  Di: 'char32_t',
  Ds: 'char16_t',
  Du: 'char8_t',
  Da: 'auto',
  Dc: 'decltype(auto)',
  Dn: 'decltype(nullptr)',
};

/** What stands behind a number of that type. */
export const literalSuffixes: Readonly<Record<string, string>> = {
  int: '',
  'unsigned int': 'u',
  long: 'l',
  'unsigned long': 'ul',
  'long long': 'll',
  'unsigned long long': 'ull',
};

/** A name of the standard library with a code; its class and arguments, where that constructs itself. */
export interface StandardName {
  readonly name: string;
  readonly base: string;
  readonly args?: string;
}

export const standardNames: Readonly<Record<string, StandardName>> = {
  a: { name: 'std::allocator', base: 'allocator' },
  b: { name: 'std::basic_string', base: 'basic_string' },
  s: {
    name: 'std::string',
    base: 'basic_string',
    args: 'char, std::char_traits<char>, std::allocator<char>',
  },
  i: { name: 'std::istream', base: 'basic_istream', args: 'char, std::char_traits<char>' },
  o: { name: 'std::ostream', base: 'basic_ostream', args: 'char, std::char_traits<char>' },
  d: { name: 'std::iostream', base: 'basic_iostream', args: 'char, std::char_traits<char>' },
};

/** Things that are made for another: what is said of them. */
export const specialNames: Readonly<Record<string, string>> = {
  TV: 'vtable for ',
  TT: 'VTT for ',
  TI: 'typeinfo for ',
  TS: 'typeinfo name for ',
  TF: 'typeinfo fn for ',
};
export const specialEncodings: Readonly<Record<string, string>> = {
  TH: 'TLS init function for ',
  TW: 'TLS wrapper function for ',
  GV: 'guard variable for ',
  GA: 'hidden alias for ',
  GTt: 'transaction clone for ',
  GTn: 'non-transaction clone for ',
};
