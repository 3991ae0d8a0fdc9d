import type { RankFacts } from './facts.ts';

/** As the agent names them: agent/src/record/sources/reclaim.c. */
const NAMES = {
  machine: /^direct reclaim$/i,
  group: /^reclaim in the control group$/,
};

/** Reclaim by threads of the rank in the window: rows of range, and their time, all threads together. */
export function reclaims(
  { trace, rank, window }: RankFacts,
  whose: keyof typeof NAMES,
): { readonly rows: readonly number[]; readonly ns: number } {
  const { columns, rows } = trace.tables.range;
  const isReclaim = trace.names.map((name) => NAMES[whose].test(name));
  const own = new Set(rank.processes);
  const found: number[] = [];
  let ns = 0;
  for (let row = 0; row < rows; row++) {
    const process = trace.threads[columns.thread[row]]?.process ?? -1;
    if (!isReclaim[columns.op[row]] || !own.has(process)) continue;
    const fromNs = Math.max(columns.startNs[row], window[0]);
    const toNs = Math.min(columns.startNs[row] + columns.durationNs[row], window[1]);
    if (toNs <= fromNs) continue;
    ns += toNs - fromNs;
    found.push(row);
  }
  return { rows: found, ns };
}
