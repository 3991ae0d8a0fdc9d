import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { formatShare } from '../../../shared/text/units.ts';
import type { HostWork } from '../../host/host-parts.ts';
import { perStacks } from '../../index/per-trace.ts';
import { blockedOn, callOf } from '../../threads/blocked-on.ts';
import type { RankFacts } from './facts.ts';
import { SAMPLES_AT_LEAST } from './loader-work.ts';

/** What the training thread was busy with while it saved. */
const savingParts = ['write', 'sync', 'files', 'making', 'unknown'] as const;
type SavingPart = (typeof savingParts)[number];

export interface Saving {
  readonly ns: Readonly<Record<SavingPart, number>>;
  /** Of all of it, asleep until a disk had answered. */
  readonly diskNs: number;
}

/** The system calls of each, as they are named where a thread waits, in libc and in the kernel. */
const SYNC = /^((f|fdata|m)?sync|syncfs|sync_file_range2?)$/;
const WRITE = /^(p?writev?(64|2)?|sendfile(64)?|copy_file_range)$/;
const FILES =
  /^(open(at2?|64)?|creat(64)?|rename(at2?)?|unlink(at)?|f?truncate(64)?|fallocate|mkdir(at)?|close)$/;

/** `__x64_sys_fsync`, `ksys_write`, `__libc_write`: what the call is named within. */
const WITHIN = /^(?:_*(?:x64|arm64|ia32|se)?_?sys_|ksys_|vfs_|do_sys_|__libc_|__)/;

/** Kernel functions that these calls alone come to, where the frame of the call itself is missing. */
const SYNC_WITHIN = /^(do_fsync|vfs_fsync_range|file_write_and_wait_range)(\.|$)/;
const WRITE_WITHIN = /^(generic_perform_write|iomap_file_buffered_write)(\.|$)/;

function partOfCall(name: string): SavingPart | undefined {
  if (SYNC.test(name)) return 'sync';
  if (WRITE.test(name)) return 'write';
  return FILES.test(name) ? 'files' : undefined;
}

const NATIVE = 1;
const BITS = { sync: 2, write: 4, files: 8 } as const;

/** By stack, the system calls that it is in; NATIVE = it shows more than Python. */
const callsOf = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ language, symbol }) => {
    if (language !== 'native') return 0;
    if (SYNC_WITHIN.test(symbol)) return NATIVE | BITS.sync;
    if (WRITE_WITHIN.test(symbol)) return NATIVE | BITS.write;
    const part = partOfCall(symbol.replace(WITHIN, ''));
    return part === 'sync' || part === 'write' || part === 'files' ? NATIVE | BITS[part] : NATIVE;
  }),
);

/** In none of these calls, it puts together what is written: where stacks show no more than Python nobody knows. */
function partOfStack(bits: number): SavingPart {
  const call = (['sync', 'write', 'files'] as const).find((part) => (bits & BITS[part]) !== 0);
  return call ?? ((bits & NATIVE) !== 0 ? 'making' : 'unknown');
}

/** What saving went to: a wait by the system call that it was in, a sample by its stack. */
export function savingOf({ trace, host }: RankFacts, { at }: Pick<HostWork, 'at'>): Saving {
  const { ns, row, isSample } = host.evidence;
  const stacks = callsOf(trace);
  const sums = Object.fromEntries(savingParts.map((part) => [part, 0])) as Record<
    SavingPart,
    number
  >;
  let diskNs = 0;
  for (const each of at) {
    const ran = isSample[each] === 1;
    const table = ran ? trace.tables.cpu_sample : trace.tables.off_cpu;
    const bits = stacks[table.columns.stack?.[row[each]] ?? NONE] ?? 0;
    sums[ran ? partOfStack(bits) : partOfWait(trace, row[each], bits)] += ns[each];
    if (!ran && blockedOn(trace, row[each]).detail === 'disk') diskNs += ns[each];
  }
  return { ns: sums, diskNs };
}

/** Whether none of many moments of it was in a call to a file: what is packed may be kept, or sent to somebody. */
export function onlyPacks(facts: RankFacts, work: HostWork): boolean {
  const { ns, diskNs } = savingOf(facts, work);
  const isMade = work.at.length >= SAMPLES_AT_LEAST && ns.making > ns.unknown;
  return isMade && ns.write + ns.sync + ns.files + diskNs === 0;
}

function partOfWait(trace: Trace, row: number, bits: number): SavingPart {
  const byCall = partOfCall(callOf(trace, row) ?? '');
  const byStack = partOfStack(bits);
  return byCall ?? (byStack === 'making' ? 'unknown' : byStack);
}

const words: Readonly<Record<Exclude<SavingPart, 'unknown'>, string>> = {
  write: 'writing to files',
  sync: 'fsync',
  files: 'opening and renaming files',
  making: 'putting together on a CPU what is written',
};

/** Parts of less than this are told with what is not known. */
const TOLD_SHARE = 0.02;

/**
 * `By samples and waits that was: writing to files 44.0 %, fsync 56.0 %; for 39.7 % it waited for the disk`; empty where half
 * of it is not known.
 */
export function savingText({ ns, diskNs }: Saving): string {
  const allNs = savingParts.reduce((sum, part) => sum + ns[part], 0);
  const known = savingParts
    .filter((part) => part !== 'unknown')
    .filter((part) => ns[part] >= allNs * TOLD_SHARE)
    .sort((a, b) => ns[b] - ns[a]);
  const restNs = allNs - known.reduce((sum, part) => sum + ns[part], 0);
  if (known.length === 0 || restNs > allNs / 2) return '';
  const texts = known.map((part) => `${words[part]} ${formatShare(ns[part], allNs)}`);
  const rest = restNs >= allNs * TOLD_SHARE ? `, not known ${formatShare(restNs, allNs)}` : '';
  const disk = diskNs > 0 ? `; for ${formatShare(diskNs, allNs)} it waited for the disk` : '';
  return `By samples and waits that was: ${texts.join(', ')}${rest}${disk}`;
}
