import type { TrackPart } from '../../shared/answers/told-tracks.ts';
import { eventColumns, rowsByKey } from '../model/event-source.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { TraceNames } from '../model/trace-names.ts';
import { isEventTrack, type Track } from '../model/track-model.ts';
import { aggregateTracks } from './aggregate-tracks.ts';
import { threadTracks } from './thread-tracks.ts';
import { drawnSpan, mainThreadOf, type Sharing } from './worker-rows.ts';

/** What rows of a group of several processes are called by; both empty in a group of one. */
export interface OwnerLabel {
  /** `worker 0`, `python`. */
  readonly name: string;
  /** `pid 71`, `pid 71, 94`, `12 processes`. */
  readonly pids: string;
}

const UNLABELLED: OwnerLabel = { name: '', pids: '' };

/** As many process ids as a label has room for. */
const MOST_PIDS = 2;

export function pidsText({ summary }: TraceData, sharing: Sharing): string {
  const pids = sharing.flatMap(({ process }) => summary.processes[process]?.pid ?? []);
  if (pids.length === 0) return '';
  return pids.length > MOST_PIDS ? `${pids.length} processes` : `pid ${pids.join(', ')}`;
}

/** Which threads are looked at first: those that called CUDA, then main threads. */
type ThreadRank = 'caller' | 'main' | 'helper';

const ranks: readonly ThreadRank[] = ['caller', 'main', 'helper'];

function threadRanks(data: TraceData): (thread: number) => ThreadRank {
  const calls = eventColumns(data.tables, 'cuda_call');
  const callers = calls === undefined ? undefined : rowsByKey(calls, 'thread', calls.thread);
  return (thread) => {
    if (callers?.has(thread) === true) return 'caller';
    return isMainThread(data, thread) ? 'main' : 'helper';
  };
}

function isMainThread({ summary }: TraceData, thread: number): boolean {
  const info = summary.threads[thread];
  return info !== undefined && summary.processes[info.process]?.pid === info.tid;
}

/** Of processes that share rows: whose the row of their main threads is, and when. */
function partsOf(data: TraceData, sharing: Sharing): TrackPart[] {
  if (sharing.length === 1) return [];
  return sharing.flatMap((entry) => {
    const thread = mainThreadOf(data, entry);
    const { process } = entry;
    const pid = data.summary.processes[process]?.pid;
    if (thread === undefined || pid === undefined) return [];
    return [{ thread, process, pid, startNs: drawnSpan(data, thread)?.[0] ?? 0 }];
  });
}

/** The tracks of the threads of processes that share rows. */
export function rowsOf(
  data: TraceData,
  names: TraceNames,
  sharing: Sharing,
  label: OwnerLabel = UNLABELLED,
): Track[] {
  const [{ process, role }] = sharing;
  const parts = partsOf(data, sharing);
  const [first, ...later] = parts.map(({ thread }) => thread);
  const rankOf = threadRanks(data);
  const tid = (thread: number) => data.summary.threads[thread]?.tid;
  const text = [label.name, label.pids].filter(Boolean).join(' · ');
  const ordered = sharing
    .flatMap(({ threads }) => threads)
    .filter((thread) => !later.includes(thread))
    .sort(
      (a, b) =>
        ranks.indexOf(rankOf(a)) - ranks.indexOf(rankOf(b)) || (tid(a) ?? 0) - (tid(b) ?? 0),
    );
  const single = ordered.flatMap((thread): Track[] => {
    if (thread === first)
      return threadTracks(data, names, [thread, ...later], { detail: text, parts });
    const own = [label.name, `tid ${tid(thread)}`].filter(Boolean).join(' · ');
    const isOther = tid(thread) !== undefined && !isMainThread(data, thread);
    return threadTracks(data, names, [thread], { detail: isOther ? own : text });
  });
  const [, ...others] = sharing.map((entry) => entry.process);
  const counted =
    role === 'pin-memory' ? [] : aggregateTracks(data, names, [process, ...others], text);
  const { hosts } = data.summary;
  const host = hosts.length > 1 && { host: data.summary.processes[process]?.host ?? 0 };
  return folded([...single, ...counted], sharing, rankOf).map((track) => ({
    ...(text === '' ? track : ownerFirst(track)),
    ...(process >= 0 && host),
    ...(track.kind === 'buckets' && parts.length > 0 && { parts }),
  }));
}

/**
 * With what one looks at last folded under one row: all of a worker under what its main thread did; of another process the
 * threads that neither called CUDA nor are its main one.
 */
function folded(
  tracks: readonly Track[],
  [{ process, role }]: Sharing,
  rankOf: (thread: number) => ThreadRank,
): Track[] {
  const isHelper = (track: Track) =>
    isEventTrack(track) && track.thread !== undefined && rankOf(track.thread) === 'helper';
  const lead = tracks.find((track) => track.table === 'off_cpu' && !isHelper(track)) ?? tracks[0];
  if (lead === undefined || process < 0 || role === 'pin-memory') return [...tracks];
  return tracks.map((track) =>
    track !== lead && (role === 'dataloader-worker' || isHelper(track))
      ? { ...track, under: lead.id }
      : track,
  );
}

/** In a group of several processes one looks for the process first, then for what of it. */
const ownerFirst = (track: Track): Track => ({
  ...track,
  label: track.detail,
  detail: track.label,
});
