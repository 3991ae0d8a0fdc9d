import { NONE } from '../../../shared/model/schema.ts';
import { type Frame, framesOf } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';

/** Files of PyTorch and of Python itself: a line in them is not where the user would look. */
const LIBRARY = /\/(site|dist)-packages\/|\/lib\/python[\d.]+\/|^<frozen /;

/**
 * Where the user's code made a call: `train.py:41`, by the stack of `row` of cuda_call. The innermost
 * Python frame outside libraries, else the innermost Python frame; undefined without one.
 */
function callSite(trace: Trace, row: number): string | undefined {
  const frames = framesOf(trace.stacks, trace.tables.cuda_call.columns.stack?.[row] ?? NONE);
  const python = frames.filter(({ language }) => language === 'python');
  const frame = python.find(({ file = '' }) => !LIBRARY.test(file)) ?? python[0];
  return frame === undefined ? undefined : siteText(frame);
}

function siteText({ symbol, file, line }: Frame): string {
  if (file === undefined) return symbol;
  const name = file.slice(file.lastIndexOf('/') + 1);
  return line === undefined ? `${symbol} in ${name}` : `${name}:${line}`;
}

/** How many of `rows` each site made, most first; `unknown` = of those without one. */
export function countSites(
  trace: Trace,
  rows: readonly number[],
): {
  readonly sites: readonly (readonly [site: string, count: number])[];
  readonly unknown: number;
} {
  const counts = new Map<string, number>();
  let unknown = 0;
  for (const row of rows) {
    const site = callSite(trace, row);
    if (site === undefined) unknown += 1;
    else counts.set(site, (counts.get(site) ?? 0) + 1);
  }
  return { sites: [...counts].sort((a, b) => b[1] - a[1]), unknown };
}
