import {
  type BenchmarkResult,
  bestConfiguration,
  currentConfiguration,
} from '../../../src-main/shared/answers/benchmark-result.ts';
import { formatCount, plural } from '../../../src-main/shared/text/units.ts';

/** Samples a second of one way to run the loop. */
export interface BenchmarkRow {
  readonly label: string;
  readonly medianPerSecond: number;
  readonly minPerSecond: number;
  readonly maxPerSecond: number;
  readonly isSynthetic: boolean;
  readonly isBest: boolean;
  /** On the setting of the job, or the fastest that may be it. */
  readonly currentMark?: 'current' | 'may be current';
  /** Times the current setting, or the best where the current one was not measured; absent of 0. */
  readonly ratio?: number;
}

const SYNTHETIC_LABEL = 'synthetic: one batch again and again';

/** The loop without loading, then the settings in the order of the script. */
export function benchmarkRows(result: BenchmarkResult): readonly BenchmarkRow[] {
  const best = bestConfiguration(result);
  const current = currentConfiguration(result);
  const currentMark: BenchmarkRow['currentMark'] =
    result.current?.pinMemory === undefined ? 'may be current' : 'current';
  const reference = (current ?? best)?.medianPerSecond ?? 0;
  const ratioOf = (rate: number) => (reference > 0 ? { ratio: rate / reference } : {});
  const { synthetic, real } = result;
  return [
    {
      ...synthetic,
      label: SYNTHETIC_LABEL,
      isSynthetic: true,
      isBest: false,
      ...ratioOf(synthetic.medianPerSecond),
    },
    ...real.map((setting) => ({
      ...setting,
      label: settingLabel(setting),
      isSynthetic: false,
      isBest: setting === best,
      ...(setting === current && { currentMark }),
      ...ratioOf(setting.medianPerSecond),
    })),
  ];
}

type Setting = NonNullable<BenchmarkResult['current']>;

/** `2 workers, pinned, persistent`. */
export function settingLabel({ workers, pinMemory, persistentWorkers }: Setting): string {
  const words = [
    plural(workers, 'worker'),
    ...(pinMemory === true ? ['pinned'] : []),
    ...(workers > 0 && persistentWorkers === true ? ['persistent'] : []),
  ];
  return words.join(', ');
}

/** Samples a second with three digits or all before the point: `0.0213`, `107`, `4,510,060`. */
export function formatPerSecond(rate: number): string {
  return rate >= 100 ? formatCount(Math.round(rate)) : String(Number(rate.toPrecision(3)));
}

/** `1.39×`; of large ones the digits after the point say nothing. */
export function formatRatio(ratio: number): string {
  return `${ratio >= 100 ? formatCount(Math.round(ratio)) : ratio.toFixed(2)}×`;
}
