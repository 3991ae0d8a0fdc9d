import { createRandom } from '../simulation/random.ts';
import { median } from './median.ts';

/** 95 % interval of median(a) / median(b) − 1, by resampling both (percentile bootstrap). */
export function changeInterval(
  a: readonly number[],
  b: readonly number[],
): readonly [number, number] {
  const random = createRandom(1);
  const resample = (values: readonly number[]) =>
    median(values.map(() => values[random(0, values.length - 1)] ?? 0));
  const changes = Array.from({ length: 4000 }, () => resample(a) / resample(b) - 1);
  changes.sort((x, y) => x - y);
  return [changes[100] ?? 0, changes[3899] ?? 0];
}

export function percent(change: number): string {
  return `${change >= 0 ? '+' : '−'}${Math.abs(100 * change).toFixed(1)} %`;
}
