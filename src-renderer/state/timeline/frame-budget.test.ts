import { expect, test } from 'vitest';
import { FrameBudget } from './frame-budget.ts';

/** Draws a frame of as many parts, each of which costs 1; how many were put off. */
function setUp(most: number) {
  const ends: boolean[] = [];
  const budget = new FrameBudget(most, (isLate) => ends.push(isLate));
  const draw = async (parts: number) => {
    let late = 0;
    for (let part = 0; part < parts; part++)
      if (budget.putsOff()) late++;
      else budget.spend(1);
    await Promise.resolve();
    return late;
  };
  return { ends, draw, budget };
}

test('what is over the budget of a frame is put off, and that is told when the frame is over', async () => {
  const { ends, draw } = setUp(3);
  expect(await draw(5)).toBe(2);
  expect(ends).toEqual([true]);
  expect(await draw(2)).toBe(0);
  expect(ends).toEqual([true, false]);
});

test('a frame that costs nothing ends, too', async () => {
  const { ends, draw, budget } = setUp(1);
  await draw(2);
  budget.begin();
  await Promise.resolve();
  expect(ends).toEqual([true, false]);
});

test('nothing is put off for ever, nor done at once in the end', async () => {
  const { ends, draw } = setUp(1);
  const late: number[] = [];
  while (late.at(-1) !== 0) late.push(await draw(4));
  expect(ends.at(-1)).toBe(false);
  expect(late.slice(0, -3).every((count) => count === 3)).toBe(true);
  expect(late.slice(-3)).toEqual([2, 1, 0]);
});
