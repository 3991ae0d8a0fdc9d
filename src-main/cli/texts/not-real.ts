import type { TraceSummary } from '../../shared/answers/summary.ts';
import { cleanText } from '../../shared/text/text.ts';

export const SYNTHETIC = 'SYNTHETIC';
export const SIMULATED = 'SIMULATED';

export type NotReal = Pick<TraceSummary, 'synthetic' | 'simulated'>;

/** Which part of what a trace tells of was never real: before anything is said of it. */
export function notRealLines({ synthetic, simulated }: NotReal): string[] {
  return [
    ...(synthetic === undefined ? [] : [`${SYNTHETIC}: ${cleanText(synthetic, 1_000)}`]),
    ...(simulated === undefined ? [] : [`${SIMULATED}: ${cleanText(simulated, 1_000)}`]),
  ];
}

/** The same in JSON. */
export function notRealJson({ synthetic, simulated }: NotReal) {
  return { synthetic: synthetic ?? null, simulated: simulated ?? null };
}
