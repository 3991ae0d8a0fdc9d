import { parseChord } from './chord.ts';

const EDITING = /^(KeyA|KeyC|KeyV|KeyX|KeyZ|KeyY)$/;
const WINDOW = /^(KeyQ|KeyW)$/;
const BROWSER = /^(KeyN|KeyT)$/;

/** Why a chord can't be a command's, as the end of a sentence; `undefined` where it can. */
export function reservedFor(chord: string, isDesktop: boolean): string | undefined {
  const { code, mod, alt, shift } = parseChord(chord);
  if (!mod || alt) return undefined;
  if (!shift && EDITING.test(code)) return 'copies and edits text';
  if (WINDOW.test(code)) return 'closes the window';
  if (!isDesktop && BROWSER.test(code)) return 'is the browser’s own';
  return undefined;
}
