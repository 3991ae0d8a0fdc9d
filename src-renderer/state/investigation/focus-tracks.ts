import type { WaitChain } from '../../../src-main/shared/answers/wait-chain.ts';
import { idleTrackId } from '../../../src-main/timeline/build/idle-tracks.ts';
import { stepTrackId } from '../../../src-main/timeline/build/step-tracks.ts';
import {
  showsThread,
  type Track,
  type TrackGroup,
} from '../../../src-main/timeline/model/track-model.ts';

/** As many rows of a kind as stand on one screen with the others. */
const CPU_ROWS = 2;
const WORKER_ROWS = 4;
/** Who had less of the stretch has no row: it would be one in which nothing is to be seen. Our own choice. */
const LEAST_SHARE = 0.01;

/**
 * Ids of the tracks that tell what `thread` waited for, from top to bottom: its steps, the GPU, itself, its CPU, who else
 * mattered. While its chain `isAwaited`, about as many as with it: nothing beneath them moves when it comes.
 */
export function focusTracks(
  groups: readonly TrackGroup[],
  thread: number,
  chain: WaitChain | undefined,
  isAwaited = false,
): Track[] {
  const all = groups.flatMap((group) => group.tracks);
  const byId = (id: string) => all.filter((track) => track.id === id);
  const steps = all.filter(({ id }) => id === stepTrackId(thread));
  const statesOf = (one: number) =>
    all.filter(
      (track) =>
        track.id === `off_cpu:${one}` || (track.table === 'off_cpu' && showsThread(track, one)),
    );
  const own = [...byId(`cuda_call:${thread}`), ...statesOf(thread)];
  const busy = busyRow(groups, own[0]?.process);
  const gpu = busy.length > 0 ? busy : byId(idleTrackId(thread));
  const cpus = mostOf(cpuTimes(chain)).slice(0, CPU_ROWS);
  const leastNs = LEAST_SHARE * lengthOf(chain);
  const shown = mostOf(threadTimes(chain), leastNs)
    .filter((other) => other !== thread)
    .flatMap(statesOf);
  const others = [...new Set(shown)].slice(0, WORKER_ROWS);
  const cpuRows = isAwaited
    ? all.filter(({ id }) => id.startsWith('on_cpu:')).slice(0, CPU_ROWS)
    : cpus.flatMap((cpu) => byId(`on_cpu:${cpu}`));
  const knowsCpus = chain?.segments.some(({ cpu }) => cpu !== undefined) === true;
  return [
    ...new Set([
      ...steps,
      ...gpu,
      ...own,
      ...(others.length > 0 ? others : loaderRows(groups, isAwaited)),
      ...cpuRows,
    ]),
    ...(cpuRows.length > 0 || knowsCpus ? [] : machineRows(all)),
  ];
}

/** How busy the GPU was that ran work of `process`, else the first one. */
function busyRow(groups: readonly TrackGroup[], process: number | undefined): Track[] {
  const gpus = groups.filter(({ id }) => id.startsWith('gpu:'));
  const isOwn = ({ tracks }: TrackGroup) =>
    tracks.some((track) => track.id.startsWith('gpu_work:') && track.process === process);
  const found = (process === undefined ? undefined : gpus.find(isOwn))?.tracks ?? [];
  return [...found, ...gpus.flatMap(({ tracks }) => tracks)]
    .filter(({ id }) => id.startsWith('gpu_busy:'))
    .slice(0, 1);
}

/**
 * Of each DataLoader worker the row under which all that is known of it is folded, or where its switches were counted; with
 * `hasFeeders` a second one of each, since most wait chains lead through the thread that hands its batches over, too.
 */
function loaderRows(groups: readonly TrackGroup[], hasFeeders: boolean): Track[] {
  const tracks = groups.find(({ id }) => id === 'workers')?.tracks ?? [];
  const rows = new Map<string, Track>();
  for (const track of tracks) {
    const lead = track.under ?? track.id;
    const isSwitches = track.kind === 'buckets' && /switch/.test(track.op);
    if (!rows.has(lead) || isSwitches) rows.set(lead, track);
  }
  const feeders = tracks
    .filter(({ id, under }) => under !== undefined && id.startsWith('off_cpu:'))
    .slice(0, hasFeeders ? rows.size : 0);
  return [...rows.values(), ...feeders].slice(0, WORKER_ROWS);
}

/** How busy the CPUs were, where nobody recorded who ran on them. */
function machineRows(all: readonly Track[]): Track[] {
  return all.filter(({ kind, label }) => kind === 'line' && /^CPU\b/.test(label)).slice(0, 1);
}

/** How long each CPU was used, or waited for; none where all ran: who else had a CPU is recorded where somebody waits. */
function cpuTimes(chain: WaitChain | undefined): Map<number, number> {
  const times = new Map<number, number>();
  const segments = chain?.segments ?? [];
  if (segments.every(({ state }) => state === 'running')) return times;
  for (const { cpu, startNs, endNs } of segments)
    if (cpu !== undefined) times.set(cpu, (times.get(cpu) ?? 0) + endNs - startNs);
  return times;
}

function threadTimes(chain: WaitChain | undefined): Map<number, number> {
  const times = new Map<number, number>();
  const add = (thread: number, ns: number) => times.set(thread, (times.get(thread) ?? 0) + ns);
  for (const { thread, startNs, endNs, ran } of chain?.segments ?? []) {
    add(thread.thread, endNs - startNs);
    for (const other of ran ?? []) add(other.thread.thread, other.ns);
  }
  return times;
}

const lengthOf = (chain: WaitChain | undefined): number =>
  (chain?.segments ?? []).reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);

const mostOf = (times: ReadonlyMap<number, number>, leastNs = 0): number[] =>
  [...times]
    .filter(([, ns]) => ns >= leastNs)
    .sort((a, b) => b[1] - a[1])
    .map(([key]) => key);
