import { nativeColours, pythonColours } from '../../chart/draw-flame.ts';
import type { ChartTheme } from '../../chart/theme.ts';

/** The colours of Python and of native frames, for the legend. */
export function flameColours({ fills }: ChartTheme): { python: string[]; native: string[] } {
  const of = (indexes: readonly number[]) => indexes.map((index) => fills[index] ?? '');
  return { python: of(pythonColours), native: of(nativeColours) };
}
