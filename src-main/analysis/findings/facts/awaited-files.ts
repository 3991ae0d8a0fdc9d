import type { Trace } from '../../../shared/model/trace.ts';
import { formatCount } from '../../../shared/text/units.ts';
import { causeCode, causeOfWait } from '../../chain/cause-sums.ts';
import { wakerOf, wokenNsOf } from '../../chain/wakes.ts';
import { onceFor } from '../../index/per-trace.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { awaitedFile, filesAreProved } from '../../threads/awaited-file.ts';
import { stateCode, stateWhileAsleep } from '../../threads/visit-states.ts';
import type { RankFacts } from './facts.ts';
import { processText } from './job-shape.ts';
import { DOMINANT_SHARE, makersOf } from './loader-work.ts';

/** Files of one file system that the threads which make batches waited for, within the window. */
interface AwaitedFiles {
  /** `ext4`, `nfs4 of nas:/data`, `fuse.sshfs`; empty = not known. */
  readonly fileSystem: string;
  readonly ns: number;
  readonly files: number;
  /** The file, or the folder that all of them are in. The traced machine’s own text, uncut. */
  readonly place: string;
  /** The process that answered, where a process of this machine is the file system; -1 = none is. */
  readonly server: number;
}

interface AllAwaited {
  /** By file system, the one with the most waiting first; empty where files are not known. */
  readonly named: readonly AwaitedFiles[];
  /** Waits for disks of which no file is known, ns. */
  readonly unnamedNs: number;
}

/** What the makers of batches waited for disks for. Counted once per rank. */
export const awaitedFiles = onceFor((facts: RankFacts) => facts, countFiles);

interface Growing {
  ns: number;
  readonly files: Set<string>;
  /** By process that ended a wait, ns. */
  readonly servers: Map<number, number>;
}

/** `/data/x (ext4)`, `/data/x (deleted) (ext4)`. */
const FILE = /^(\/.*?)(?: \(deleted\))?(?: \(([^()]+)\))?$/;
/** File systems that are processes: the kernel passes each request on to one. */
const IS_PROCESS = /^(fuse|(virtiofs|9p)\b)/;

function countFiles(facts: RankFacts): AllAwaited {
  return filesOf(
    facts,
    makersOf(facts).flatMap((thread) => diskWaitsOf(facts, thread)),
  );
}

/** What the waits `rows`, of off_cpu, were for. */
export function filesOf(facts: RankFacts, rows: readonly number[]): AllAwaited {
  const { trace } = facts;
  const found = new Map<string, Growing>();
  const areProved = filesAreProved(trace);
  let unnamedNs = 0;
  for (const row of rows) {
    const name = areProved ? awaitedFile(trace, row)?.name : undefined;
    const [, path, fileSystem = ''] = FILE.exec(name ?? '') ?? [];
    const ns = sleptNs(trace, row);
    if (path === undefined) {
      unnamedNs += ns;
      continue;
    }
    const known = found.get(fileSystem) ?? { ns: 0, files: new Set(), servers: new Map() };
    found.set(fileSystem, known);
    known.ns += ns;
    known.files.add(path);
    const server = trace.threads[wakerOf(trace, row)]?.process ?? -1;
    known.servers.set(server, (known.servers.get(server) ?? 0) + ns);
  }
  const named = [...found]
    .map(([fileSystem, { ns, files, servers }]) => ({
      ...{ fileSystem, ns, files: files.size, place: placeOf(files) },
      server: IS_PROCESS.test(fileSystem) ? mostOf(servers, facts) : -1,
    }))
    .sort((a, b) => b.ns - a.ns);
  return { named, unnamedNs };
}

/** The intervals off the CPU of `thread` that begin within the window: rows of off_cpu, in order of time. */
export function switchesWithin({ trace, window }: RankFacts, thread: number): Uint32Array {
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  return rows.subarray(startsNs.lowerBound(window[0]), startsNs.lowerBound(window[1]));
}

/** The waits of `thread` for a disk, or a file that lies elsewhere, within the window: rows of off_cpu. */
export function diskWaitsOf(facts: RankFacts, thread: number): number[] {
  const { trace } = facts;
  return [...switchesWithin(facts, thread)].filter(
    (row) =>
      stateWhileAsleep(trace, row) !== stateCode.runnable &&
      causeOfWait(trace, row) === causeCode.disk,
  );
}

/** From giving up the CPU until it was ready again, ns; all of it where that is not known. */
export function sleptNs(trace: Trace, row: number): number {
  const { startNs, durationNs } = trace.tables.off_cpu.columns;
  const wokenNs = wokenNsOf(trace, row);
  return Number.isNaN(wokenNs) ? durationNs[row] : wokenNs - startNs[row];
}

/** Waits for pages of memory from a disk, outside of any system call: of a file that is mapped, or swapped out. */
interface PageWaits {
  readonly count: number;
  /** Of all waits for disks, by their time. */
  readonly share: number;
  /** Of these waits, by their time, those for a file that is mapped; older recordings name none. */
  readonly ofFiles: number;
}

/** Those of the threads that make batches. Counted once per rank. */
export const pageWaits = onceFor((facts: RankFacts) => facts, countPageWaits);

function countPageWaits(facts: RankFacts): PageWaits {
  const { trace } = facts;
  const { syscall } = trace.tables.off_cpu.columns;
  const waits = makersOf(facts).flatMap((thread) => diskWaitsOf(facts, thread));
  const pages = syscall === undefined ? [] : waits.filter((row) => syscall[row] < 0);
  const ofFiles = pages.filter((row) => awaitedFile(trace, row) !== undefined);
  const lengthOf = (rows: readonly number[]) =>
    rows.reduce((sum, row) => sum + sleptNs(trace, row), 0);
  const shareOf = (some: readonly number[], all: readonly number[]) =>
    lengthOf(some) / Math.max(1, lengthOf(all));
  return {
    count: pages.length,
    share: shareOf(pages, waits),
    ofFiles: shareOf(ofFiles, pages),
  };
}

/** What wakes for itself, and the kernel’s own threads, are nobody’s servers. */
function mostOf(servers: ReadonlyMap<number, number>, { trace, rank }: RankFacts): number {
  const [most] = [...servers]
    .filter(([process]) => process >= 0 && !rank.processes.includes(process))
    .filter(([process]) => trace.processes[process]?.role !== 'kernel')
    .sort((a, b) => b[1] - a[1]);
  return most?.[0] ?? -1;
}

function placeOf(files: ReadonlySet<string>): string {
  const [first = '', ...rest] = files;
  if (rest.length === 0) return first;
  let folder = first.slice(0, first.lastIndexOf('/') + 1);
  while (!rest.every((file) => file.startsWith(folder)))
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  return folder;
}

/**
 * `mostly for 1,204 files in /data/train/ (nfs4 of nas:/data)`, `… (fuse.sshfs, by sshfs (pid 311))`, `among others for …` where less than
 * half of the waits are known to be for these; undefined = not known.
 */
export function awaitedFilesText(
  facts: RankFacts,
  { named, unnamedNs } = awaitedFiles(facts),
): string | undefined {
  const [most] = named;
  if (most === undefined) return undefined;
  const { fileSystem, files, place, server } = most;
  const allNs = named.reduce((sum, { ns }) => sum + ns, unnamedNs);
  const howMuch = most.ns >= allNs * DOMINANT_SHARE ? 'mostly' : 'among others';
  const by = server < 0 ? '' : `, served by ${processText(facts.trace, server)}`;
  const on = fileSystem === '' ? '' : ` (${fileSystem}${by})`;
  const what = files === 1 ? place : `${formatCount(files)} files in ${place}`;
  return `${howMuch} for ${what}${on}`;
}
