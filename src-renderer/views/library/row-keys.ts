import { clamp } from '../../lib/clamp.ts';

/** Where a key leads: so many rows on, or so far. */
type RowMove = number | 'page-up' | 'page-down' | 'first' | 'last';

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

const moves: Readonly<Record<string, RowMove>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: 'page-up',
  PageDown: 'page-down',
  Home: 'first',
  End: 'last',
};

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
  const by = moves[code];
  if (by !== undefined) return { by, extend: shiftKey };
  if (code === 'F10' && shiftKey) return 'menu';
  if (shiftKey) return undefined;
  if (code === 'Enter' && !onButton) return 'open';
  if (code === 'Space' && !onButton) return 'toggle';
  return plain[code];
}

/** The row, 0 to `last`, that a move leads to; a page has `pageRows`. */
export function rowAfter(by: RowMove, from: number, last: number, pageRows: number): number {
  if (by === 'first') return 0;
  if (by === 'last') return last;
  const steps = by === 'page-up' ? -pageRows : by === 'page-down' ? pageRows : by;
  return clamp(from + steps, 0, last);
}
