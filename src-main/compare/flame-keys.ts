import type { FlameFrame } from '../shared/answers/flame.ts';

/**
 * By frame of either run, a text that the same function has in both: its file by its whole path where both runs
 * know that, else by what of the path does not change with the machine, as long as that names one function only.
 */
export function flameKeys(
  first: readonly FlameFrame[],
  second: readonly FlameFrame[],
): readonly [first: readonly string[], second: readonly string[]] {
  const runs = [first, second] as const;
  const [ofFirst, ofSecond] = runs.map((frames) => new Set(frames.map(wholeKey)));
  const inBoth = (key: string) => ofFirst?.has(key) === true && ofSecond?.has(key) === true;
  const [countsOfFirst, countsOfSecond] = runs.map((frames) => {
    const others = frames.filter((frame) => !inBoth(wholeKey(frame)));
    return Map.groupBy(others, shortKey);
  });
  const isOne = (key: string) =>
    countsOfFirst?.get(key)?.length === 1 && countsOfSecond?.get(key)?.length === 1;
  const keyOf = (frame: FlameFrame) => {
    const [whole, short] = [wholeKey(frame), shortKey(frame)];
    return !inBoth(whole) && isOne(short) ? short : whole;
  };
  return [first.map(keyOf), second.map(keyOf)];
}

const wholeKey = ({ language, symbol, file }: FlameFrame) =>
  JSON.stringify([language, symbol, file ?? null]);

const shortKey = ({ language, symbol, file }: FlameFrame) =>
  JSON.stringify([language, symbol, 'short', file === undefined ? null : ownPart(file)]);

/** `torch/utils/data/_utils/fetch.py` of an installed package, else the name of the file. */
function ownPart(file: string): string {
  const installed = /[\\/](?:site|dist)-packages[\\/](.+)$/.exec(file)?.[1];
  return installed ?? file.split(/[\\/]/).at(-1) ?? file;
}
