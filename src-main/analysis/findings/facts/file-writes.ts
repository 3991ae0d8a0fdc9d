import { hostKinds } from '../../../shared/answers/host-time.ts';
import { codeOf } from '../../../shared/model/codes.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { writesFile } from '../../host/wait-kinds.ts';
import { onceFor } from '../../index/per-trace.ts';
import { SpanList, type Spans } from '../../index/spans.ts';
import { awaitedFile } from '../../threads/awaited-file.ts';
import { diskWaitsOf, sleptNs } from './awaited-files.ts';
import type { CostCause, CostCell, RankFacts } from './facts.ts';
import { makersOf } from './loader-work.ts';

/** Waits of the loop, and of the threads that make its batches, until a disk had taken what they write to files. */
export interface FileWrites {
  /** Of the training thread outside of CUDA calls and of its waits for input: indices into the host evidence. */
  readonly own: readonly number[];
  /** All of them: rows of off_cpu, longest first. */
  readonly rows: readonly number[];
  /** When at least one of them was under way. */
  readonly spans: Spans;
  /** How much of a cell is such waits, 0…1. */
  readonly partOf: (cell: CostCell) => number;
}

/** Where a thread that waits for a disk, its journal, or room for what is to be written may be counted. */
const WAITS: ReadonlySet<CostCause> = new Set<CostCause>(['disk', 'sleeping', 'off-cpu']);

/** File systems that lie elsewhere: no disk of this machine takes what is written to them. */
const ELSEWHERE =
  /\((nfs4?|cifs|smb3?|9p|virtiofs|ceph|lustre|gpfs|beegfs|afs|orangefs|pvfs2|wekafs|fuse(\.[^() ]*)?)( of [^()]*)?\)$/;

/** Those to files that lie on this machine’s disks, or may do so. Found once per rank. */
export const fileWrites = onceFor((facts: RankFacts) => facts, findWrites);

function findWrites(facts: RankFacts): FileWrites {
  const { trace, host, window } = facts;
  const { isSample, row, length } = host.evidence;
  const { startNs, durationNs } = trace.tables.off_cpu.columns;
  const own = Array.from({ length }, (_, at) => at).filter(
    (at) => isSample[at] === 0 && writesHere(trace, row[at]),
  );
  const ofLoop = new Set(own.map((at) => row[at]));
  const waits = makersOf(facts)
    .flatMap((thread) => diskWaitsOf(facts, thread))
    .filter((each) => !ofLoop.has(each));
  const making = waits.filter((each) => writesHere(trace, each));
  const rows = [...ofLoop, ...making].sort((a, b) => startNs[a] - startNs[b]);
  const spans = new SpanList(window);
  for (const each of rows) spans.add(startNs[each], startNs[each] + sleptNs(trace, each));
  const lengthOf = (some: readonly number[]) =>
    some.reduce((sum, each) => sum + sleptNs(trace, each), 0);
  const inputPart = making.length === 0 ? 0 : lengthOf(making) / lengthOf(waits);
  const hostParts = partsByKind(facts, new Set(own));
  return {
    own,
    rows: rows.toSorted((a, b) => durationNs[b] - durationNs[a]),
    spans: spans.spans(),
    partOf: ({ phase, whose, cause, activity = 'none' }) => {
      if (phase === 'input') return cause === 'disk' ? inputPart : 0;
      const isOwn = phase === 'other' && whose === 'main' && WAITS.has(cause);
      return isOwn ? hostParts[codeOf(hostKinds, activity)] : 0;
    },
  };
}

function writesHere(trace: Trace, row: number): boolean {
  return writesFile(trace, row) && !ELSEWHERE.test(awaitedFile(trace, row)?.name ?? '');
}

/** Of the training thread's waits, by what it was busy with, the share of those in `own`. */
function partsByKind({ host }: RankFacts, own: ReadonlySet<number>): number[] {
  const { isSample, kind, ns, length } = host.evidence;
  const sums = hostKinds.map(() => ({ all: 0, own: 0 }));
  for (let at = 0; at < length; at++) {
    if (isSample[at] === 1) continue;
    sums[kind[at]].all += ns[at];
    if (own.has(at)) sums[kind[at]].own += ns[at];
  }
  return sums.map((sum) => (sum.all > 0 ? sum.own / sum.all : 0));
}
