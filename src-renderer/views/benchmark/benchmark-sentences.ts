import {
  type BenchmarkResult,
  bestConfiguration,
  currentConfiguration,
  type MeasuredSetting,
} from '../../../src-main/shared/answers/benchmark-result.ts';
import { plural } from '../../../src-main/shared/text/units.ts';
import { formatPerSecond, formatRatio, settingLabel } from './benchmark-rows.ts';

/** What the figures say, and what they do not: the best setting first. */
export function benchmarkSentences(result: BenchmarkResult): readonly string[] {
  const best = bestConfiguration(result);
  if (best === undefined) return ['No setting of the loader could be measured.', ...left(result)];
  const rate = formatPerSecond(best.medianPerSecond);
  return [
    `Best: ${settingLabel(best)}, with ${rate} samples a second.`,
    gain(result, best),
    withoutLoading(result, best),
    ...left(result),
  ];
}

function gain(result: BenchmarkResult, best: MeasuredSetting): string {
  const now = currentConfiguration(result);
  if (result.current === undefined) return 'The setting of the job is not known.';
  const name = settingLabel(result.current);
  if (now === undefined) return `The current setting (${name}) was not measured.`;
  const isKnown = result.current.pinMemory !== undefined;
  if (now === best)
    return isKnown
      ? `That is the current setting (${name}).`
      : `It has the current ${name}; of the job’s setting only the number of workers is known.`;
  if (overlap(now, best))
    return `The passes of the current setting (${name}) overlap with it: the difference may be chance.`;
  const ratio = formatRatio(best.medianPerSecond / now.medianPerSecond);
  return isKnown
    ? `That is ${ratio} the current setting (${name}).`
    : `That is ${ratio} the fastest with the current ${name}: of the job’s setting only the number of workers is known.`;
}

function withoutLoading({ synthetic }: BenchmarkResult, best: MeasuredSetting): string {
  if (overlap(synthetic, best) || synthetic.medianPerSecond < best.medianPerSecond)
    return 'The loop without loading is no faster: with this setting loading does not hold it back.';
  const ratio = formatRatio(synthetic.medianPerSecond / best.medianPerSecond);
  return `The loop without loading reaches ${ratio} that rate: the difference is loading, unless the script ran without the training step.`;
}

function left({ leftOut, failed, device }: BenchmarkResult): string[] {
  return [
    ...(failed.length > 0 ? [`${plural(failed.length, 'setting')} failed.`] : []),
    ...(leftOut > 0 ? [`${plural(leftOut, 'setting')} left out: the time was up.`] : []),
    ...(device === undefined
      ? ['CUDA could not be used: batches stayed on the host, and pin_memory was not tried.']
      : []),
  ];
}

type Spread = Pick<MeasuredSetting, 'minPerSecond' | 'maxPerSecond'>;

function overlap(a: Spread, b: Spread): boolean {
  return a.minPerSecond <= b.maxPerSecond && b.minPerSecond <= a.maxPerSecond;
}
