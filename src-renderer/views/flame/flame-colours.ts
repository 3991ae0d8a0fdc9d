import { gpuColours, nativeColours, pythonColours } from '../../chart/draw-flame.ts';
import type { ChartTheme } from '../../chart/theme.ts';

/** The colours of Python, of native frames and of GPU work, for the legend. */
export function flameColours({ fills }: ChartTheme): Record<'python' | 'native' | 'gpu', string[]> {
  const of = (indexes: readonly number[]) => indexes.map((index) => fills[index] ?? '');
  return { python: of(pythonColours), native: of(nativeColours), gpu: of(gpuColours) };
}
