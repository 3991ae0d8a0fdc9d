import { type RowMove, rowMoves } from '../../lib/row-moves.ts';

/** What a key press means on a row of the library. */
export type RowCommand =
  | 'open'
  | 'rename'
  | 'tags'
  | 'verdict'
  | 'compare'
  | 'remove'
  | 'pick-all'
  | 'toggle'
  | 'menu'
  | { readonly by: RowMove; readonly extend: boolean };

const plain: Readonly<Record<string, Extract<RowCommand, string>>> = {
  F2: 'rename',
  Delete: 'remove',
  KeyT: 'tags',
  KeyV: 'verdict',
  KeyC: 'compare',
  ContextMenu: 'menu',
};

type Press = Pick<KeyboardEvent, 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** `onButton`: a button of the row has the focus, which takes Enter and Space. */
export function rowCommandOf(press: Press, onButton: boolean): RowCommand | undefined {
  const { code, shiftKey, altKey } = press;
  const mod = press.ctrlKey || press.metaKey;
  if (altKey) return undefined;
  if (mod) return code === 'KeyA' ? 'pick-all' : undefined;
  const by = rowMoves[code];
  if (by !== undefined) return { by, extend: shiftKey };
  if (code === 'F10' && shiftKey) return 'menu';
  if (shiftKey) return undefined;
  if (code === 'Enter' && !onButton) return 'open';
  if (code === 'Space' && !onButton) return 'toggle';
  return plain[code];
}
