import { expect, test } from 'vitest';
import type { FlameDifference } from '../../src-main/shared/answers/flame-difference.ts';
import { hexToRgb, hueLightness, NAME_INK } from '../../src-main/timeline/model/colours.ts';
import { changeColour, changeLevels, changeMark, levelsOf } from './flame-changes.ts';

const side = (total: readonly number[]) => ({ total, self: total, whole: 1_000 });
const difference = (
  first: readonly number[],
  second: readonly number[],
  chance: readonly number[],
) =>
  ({ first: side(first), second: side(second), mayBeChance: chance }) as unknown as FlameDifference;

test('a node is coloured by its change, measured by all; what may be chance is not', () => {
  const first = [500, 500, 500, 500, 500, 500];
  const second = [500, 504, 490, 540, 300, 900];
  expect(levelsOf(difference(first, second, [0, 0, 0, 0, 0, 1]))).toEqual([0, 0, -1, 2, -3, 0]);
  expect(changeLevels.map(changeMark)).toEqual(['▼ ', '▼ ', '▼ ', '', '▲ ', '▲ ', '▲ ']);
});

test('of runs without weight nothing changed', () => {
  const none = { total: [0], self: [0], whole: 0 };
  expect(
    levelsOf({ first: none, second: none, mayBeChance: [0] } as unknown as FlameDifference),
  ).toEqual([0]);
});

/** WCAG 2. */
function luminance([red, green, blue]: readonly number[]): number {
  const linear = (byte = 0) =>
    byte / 255 <= 0.03928 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

test('names can be read on each colour, in both themes, and no two levels look alike', () => {
  const ink = luminance(hexToRgb(NAME_INK));
  for (const lightness of Object.values(hueLightness)) {
    const colours = changeLevels.map((level) => changeColour(level, lightness));
    expect(new Set(colours).size).toBe(changeLevels.length);
    for (const colour of colours) {
      const behind = luminance((colour.match(/\d+/g) ?? []).map(Number));
      expect((behind + 0.05) / (ink + 0.05)).toBeGreaterThan(4.5);
    }
  }
});
