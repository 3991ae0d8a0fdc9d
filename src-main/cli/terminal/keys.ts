/** A line as it is typed in a terminal that hands over every key (raw mode). */
export interface TypedLine {
  readonly text: string;
  readonly state: 'typing' | 'done' | 'ended' | 'interrupted';
}

/** Longer than any secret; a paste of a whole file is cut. */
const MAX_LENGTH = 4096;

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const CTRL_W = '\u0017';
const ESCAPE = '\u001b';

/**
 * The line after some more keys. What arrows and other keys send is left out, and so is what was typed
 * after its end: it was not meant for the next question.
 */
export function typeKeys(line: TypedLine, keys: string): TypedLine {
  let { text } = line;
  // Escape sequences of arrows, function keys and bracketed paste: ECMA-48 §5.4.
  const plain = keys.replaceAll(new RegExp(`${ESCAPE}(\\[[0-?]*[ -/]*[@-~]|O.|.)?`, 'gu'), '');
  for (const character of plain) {
    if (character === '\r' || character === '\n') return { text, state: 'done' };
    if (character === CTRL_C) return { text: '', state: 'interrupted' };
    if (character === CTRL_D && text === '') return { text: '', state: 'ended' };
    if (character === CTRL_U) text = '';
    else if (character === CTRL_W) text = text.replace(/\S+\s*$/, '');
    else if (character === '\b' || character === '\u007f') text = [...text].slice(0, -1).join('');
    else if (character >= ' ' && text.length < MAX_LENGTH) text += character;
  }
  return { text, state: 'typing' };
}
