import type { FlameDifference } from '../../src-main/shared/answers/flame-difference.ts';
import { oklchToRgb } from '../../src-main/timeline/model/colours.ts';

/** How much of all a node must have changed by to be coloured, and to be coloured more strongly. Our own choice. */
const SHARES = [0.005, 0.03, 0.12] as const;
/** How strong the colours are, by the same places; 0 = grey. */
const CHROMA = [0.045, 0.085, 0.13] as const;
const [MORE_HUE, LESS_HUE] = [55, 250];
const GREY_CHROMA = 0.008;

/** From −3, far less than before, to 3, far more; 0 = as before, or what may be chance. */
export type ChangeLevel = -3 | -2 | -1 | 0 | 1 | 2 | 3;
export const changeLevels = [-3, -2, -1, 0, 1, 2, 3] as const satisfies readonly ChangeLevel[];

/** By node, how much it changed, measured by all of the larger run. */
export function levelsOf({ first, second, mayBeChance }: FlameDifference): ChangeLevel[] {
  const whole = Math.max(first.whole, second.whole, Number.MIN_VALUE);
  return first.total.map((was, node) => {
    const change = ((second.total[node] ?? 0) - was) / whole;
    const passed = SHARES.filter((share) => Math.abs(change) >= share).length;
    if (mayBeChance[node] === 1 || passed === 0) return 0;
    return (Math.sign(change) * passed) as ChangeLevel;
  });
}

/** The colour of a level, as light as the names of frames need behind them. */
export function changeColour(level: ChangeLevel, lightness: number): string {
  const chroma = level === 0 ? GREY_CHROMA : (CHROMA[Math.abs(level) - 1] ?? GREY_CHROMA);
  return `rgb(${oklchToRgb(lightness, chroma, level > 0 ? MORE_HUE : LESS_HUE).join(' ')})`;
}

/** What tells levels apart beside their colour, before the name on a box. */
export function changeMark(level: ChangeLevel): string {
  return level === 0 ? '' : level > 0 ? '▲ ' : '▼ ';
}
