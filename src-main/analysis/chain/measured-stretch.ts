import type { AccountingPart } from '../../shared/answers/explanation.ts';
import type { ChainSum } from '../../shared/answers/wait-chain.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { accountTime } from '../threads/account-time.ts';
import { callSum } from '../threads/call-sums.ts';
import { callOver } from './own-activity.ts';
import type { Stretch } from './walk.ts';

/** What is known of a stretch without states from sums that were measured around the call it is in. */
export interface MeasuredStretch {
  /** Row of cuda_call. */
  readonly call: number;
  readonly name: string;
  readonly parts: readonly AccountingPart[];
}

/** `undefined` where the stretch has states, or lies in no call that was measured. */
export function measuredStretch(trace: Trace, stretch: Stretch): MeasuredStretch | undefined {
  const { kind, row, thread, startNs, endNs } = stretch;
  if (kind !== 'unknown' || row >= 0 || thread < 0) return undefined;
  const call = callOver(trace, thread, startNs, endNs);
  if (call < 0) return undefined;
  const known = (['offCpuNs', 'runQueueNs'] as const).some(
    (column) => callSum(trace, call, column) !== undefined,
  );
  if (!known) return undefined;
  const name = cleanText(trace.names[trace.tables.cuda_call.columns.op[call]] ?? '', 80);
  return {
    call,
    name,
    parts: accountTime(trace, undefined, thread, startNs, endNs, { call: { row: call } }),
  };
}

/** In the order in which they are told. */
const clauses = [
  ['runnable', (text: string) => `waited ${text} for a CPU`],
  ['blocked', (text: string) => `was blocked for ${text}`],
  ['off-cpu', (text: string) => `was off the CPU for ${text}`],
  ['running', (text: string) => `ran for ${text}`],
  ['unexplained', (text: string) => `did something not known for ${text}`],
] as const;

/** `waited 35.42 ms for a CPU and ran for 16.78 ms in cudaMemcpyAsync; …`: one clause. */
export function measuredReason({ name, parts }: MeasuredStretch): string {
  const told = clauses.flatMap(([kind, clause]) => {
    const ns = nsOf(parts, kind);
    return ns > 0 ? [clause(formatDuration(ns))] : [];
  });
  const list = [told.slice(0, -1).join(', '), told.at(-1)].filter(Boolean).join(' and ');
  const where = told.length > 1 ? '; when inside the call is not known' : '';
  return `${list} in ${name}${where}`;
}

/** The same as sums of a chain: how long each took is known, only not when. */
export function measuredSums({
  name,
  parts,
}: MeasuredStretch): Pick<ChainSum, 'state' | 'reason' | 'proof' | 'ns'>[] {
  return parts.map(({ kind, ns, basis }) => ({
    state: kind === 'running' || kind === 'runnable' ? kind : 'unknown',
    reason: sumReasons[kind](name),
    proof: kind === 'unexplained' ? 'unknown' : basis === 'exact' ? 'proven' : 'bound',
    ns,
  }));
}

const sumReasons: Readonly<Record<AccountingPart['kind'], (call: string) => string>> = {
  running: (call) => `ran in ${call}`,
  runnable: (call) => `waited for a CPU in ${call}; who ran is not recorded`,
  blocked: (call) => `was blocked in ${call}; on what is not recorded`,
  'off-cpu': (call) => `was off the CPU in ${call}; why is not recorded`,
  unexplained: (call) => `was in ${call}; what it did is not in this trace`,
};

function nsOf(parts: readonly AccountingPart[], kind: AccountingPart['kind']): number {
  return parts.reduce((sum, part) => (part.kind === kind ? sum + part.ns : sum), 0);
}
