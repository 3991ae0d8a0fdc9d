import { cleanText, MAX_NAME_LENGTH } from '../../../shared/text/text.ts';
import type { Cell } from '../../sqlite/row-query.ts';

/** A cell as text fit to be shown, or `undefined` where it is none. */
export function textCell(cell: Cell | undefined, maxLength = MAX_NAME_LENGTH): string | undefined {
  return typeof cell === 'string' ? cleanText(cell, maxLength) : undefined;
}

/** A cell as an integer ≥ 0, exact in a 64-bit float, or `undefined` where it is none. */
export function countCell(cell: Cell | undefined): number | undefined {
  return typeof cell === 'number' && Number.isSafeInteger(cell) && cell >= 0 ? cell : undefined;
}

/** A cell as any finite number, or `undefined` where it is none. */
export function numberCell(cell: Cell | undefined): number | undefined {
  return typeof cell === 'number' && Number.isFinite(cell) ? cell : undefined;
}
