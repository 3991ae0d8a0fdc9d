import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import { atOnce, inPieces, type Pieces } from '../../shared/numbers/pieces.ts';
import { cleanText } from '../../shared/text/text.ts';
import { eventColumns } from '../model/event-source.ts';
import { remember, rememberInPieces } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';
import { isCopyRow, workColumns } from './gpu-work-names.ts';

/** Which kernels are in the GPU's own records: by process (-1 = not known), and by GPU. */
interface RecordedKernels {
  /** Processes with any work on a GPU. */
  readonly usersOf: ReadonlyMap<number, ReadonlySet<number>>;
  readonly gpus: ReadonlySet<number>;
  readonly processes: ReadonlySet<number>;
}

function recordedKernels(data: TraceData): RecordedKernels | undefined {
  const columns = workColumns(data);
  if (columns === undefined) return undefined;
  return remember(columns, 'recorded kernels', () => {
    const usersOf = new Map<number, Set<number>>();
    const gpus = new Set<number>();
    const processes = new Set<number>();
    const isCopy = isCopyRow(columns);
    for (let row = 0; row < columns.startNs.length; row++) {
      const [gpu, process] = [columns.gpu?.[row] ?? -1, columns.process?.[row] ?? -1];
      const users = usersOf.get(gpu) ?? new Set();
      usersOf.set(gpu, users.add(process));
      if (isCopy(row)) continue;
      gpus.add(gpu);
      processes.add(process);
    }
    return { usersOf, gpus, processes };
  });
}

/** The processes that launched kernels, in pieces: all calls are looked at, once. */
export function* launchersInPieces({ summary, tables }: TraceData): Pieces<ReadonlySet<number>> {
  const calls = eventColumns(tables, 'cuda_call');
  const { op } = calls ?? {};
  if (calls === undefined || op === undefined) return new Set();
  return yield* rememberInPieces(calls, 'launchers', function* () {
    const isLaunch = summary.names.map((name) => cudaOpKind(name) === 'launch');
    const threads = new Set<number>();
    let last: number | undefined;
    yield* inPieces(op.length, (from, to) => {
      for (let row = from; row < to; row++) {
        const thread = calls.thread?.[row] ?? -1;
        // Mostly the same as the one before.
        if (thread === last || isLaunch[op[row]] !== true) continue;
        last = thread;
        threads.add(thread);
      }
    });
    return new Set([...threads].map((thread) => summary.threads[thread]?.process ?? -1));
  });
}

/** The processes (-1 = not known) that launched kernels and of whose work on `gpu` only copies and fills are recorded. */
export function lackingKernels(data: TraceData, gpu: number): number[] {
  const recorded = recordedKernels(data);
  const launched = atOnce(launchersInPieces(data));
  const hasLaunched = (process: number) =>
    process < 0 ? launched.size > 0 : launched.has(process) || launched.has(-1);
  return [...(recorded?.usersOf.get(gpu) ?? [])].filter(
    (process) =>
      hasLaunched(process) && !recorded?.processes.has(process) && !recorded?.processes.has(-1),
  );
}

/** Whether the records of a GPU hold all kernels, or some. */
export function recordsKernels(data: TraceData, gpu: number): boolean {
  const isAnyThere = recordedKernels(data)?.gpus.has(gpu) ?? false;
  return isAnyThere || lackingKernels(data, gpu).length === 0;
}

/** `rank 1 · pid 812` or `python · pid 812`, where several processes share a GPU. */
export function processNote({ summary }: TraceData, process: number): string {
  const info = summary.processes[process];
  if (info === undefined) return 'process not known';
  const who = info.rank === undefined ? cleanText(info.name) || 'unnamed' : `rank ${info.rank}`;
  return `${who} · pid ${info.pid}`;
}
