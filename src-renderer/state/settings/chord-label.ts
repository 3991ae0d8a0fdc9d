import { parseChord } from './chord.ts';

/** What a keyboard's layout prints on its keys, by code; from `navigator.keyboard` where there is one. */
export type KeyboardLayout = ReadonlyMap<string, string>;

const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Backspace: '⌫',
  Delete: 'Del',
  Enter: 'Enter',
  Escape: 'Esc',
  Comma: ',',
  Period: '.',
  Semicolon: ';',
  Quote: "'",
  Minus: '-',
  Equal: '=',
  BracketLeft: '[',
  BracketRight: ']',
  Backslash: '\\',
  Backquote: '`',
  PageUp: 'Page up',
  PageDown: 'Page down',
  NumpadAdd: 'Num +',
  NumpadSubtract: 'Num -',
  NumpadMultiply: 'Num *',
  NumpadDivide: 'Num /',
  NumpadDecimal: 'Num .',
  NumpadEnter: 'Num Enter',
};

function keyName(code: string, layout: KeyboardLayout | undefined): string {
  // These two work wherever the layout prints them.
  if (code === 'Slash') return '/';
  const printed = layout?.get(code);
  if (printed !== undefined && printed.trim() !== '') return printed.toUpperCase();
  const letter = /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? /^Numpad(\d)$/.exec(code)?.[1];
  if (letter !== undefined) return code.startsWith('Numpad') ? `Num ${letter}` : letter;
  return NAMES[code] ?? code;
}

/** A chord for people: `Ctrl+Shift+E`, on a Mac `⇧⌘E`. */
export function chordLabel(
  chord: string,
  isMac: boolean,
  layout: KeyboardLayout | undefined,
): string {
  const { code, mod, alt, shift } = parseChord(chord);
  const isQuestionMark = code === 'Slash' && shift;
  const name = isQuestionMark ? '?' : keyName(code, layout);
  const withShift = shift && !isQuestionMark;
  if (isMac) return `${alt ? '⌥' : ''}${withShift ? '⇧' : ''}${mod ? '⌘' : ''}${name}`;
  return `${mod ? 'Ctrl+' : ''}${alt ? 'Alt+' : ''}${withShift ? 'Shift+' : ''}${name}`;
}
