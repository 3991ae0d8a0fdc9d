import { buildTrackGroups, lostStretches } from '../../timeline/build/build-tracks.ts';
import { callOfWork, workOfCall } from '../../timeline/model/submissions.ts';
import type { TraceData } from '../../timeline/model/trace-data.ts';
import {
  type BucketTrack,
  type EventTrack,
  isEventTrack,
  type LineTrack,
  NO_ROW,
  type Track,
} from '../../timeline/model/track-model.ts';
import type { Viewer } from '../hide-private.ts';
import { pictureHider } from '../picture/hide-in-picture.ts';
import { dealToLines, eventsInOrder, type LaneEvent, type LineStep } from './nested-lines.ts';
import { PacketWriter, type TrackDescription } from './packet-writer.ts';

/** Between the parts of a track's name. */
const DOT = ' · ';
/** Of one piece of the file. */
const PIECE_BYTES = 1 << 20;
/** Where the calendar's time is told: a reading of 0 would mean that there is none. */
const CLOCK_READING_NS = 1e9;

/**
 * The timeline as a trace of Perfetto, in pieces: the tracks of the screen under the names they have
 * there, each event with its row, calls linked to what they made the GPU do. Times are the trace's own.
 */
export function* perfettoTrace(
  data: TraceData,
  { hidePrivate }: { readonly hidePrivate: boolean },
  viewer: Viewer,
): Generator<Uint8Array> {
  const hide = hidePrivate
    ? pictureHider({ name: '', notes: [] }, data.summary, viewer)
    : (text: string) => text;
  const writing = new Writing(data, hide);
  const { packets } = writing;
  const beginUnixNs = BigInt(data.summary.beginUnixNs);
  if (beginUnixNs > 0n) packets.clock(CLOCK_READING_NS, beginUnixNs + BigInt(CLOCK_READING_NS));
  packets.track({ uuid: 0 });
  for (const _full of writing.all()) yield packets.take();
  yield packets.take();
}

/** Tracks on their way into packets. Its generators stop where a piece of the file is full, and can be taken. */
class Writing {
  readonly packets = new PacketWriter();
  readonly #data: TraceData;
  readonly #hide: (text: string) => string;
  readonly #hidden = new Map<string, string>();
  readonly #siblings = new Map<string, number>();
  #tracks = 0;

  constructor(data: TraceData, hide: (text: string) => string) {
    this.#data = data;
    this.#hide = hide;
  }

  *all(): Generator<void> {
    yield* this.#lost();
    for (const { label, detail, tracks } of buildTrackGroups(this.#data)) {
      let uuid: number | undefined;
      const group = () => {
        uuid ??= this.#declare({ name: joined(label, detail) });
        return uuid;
      };
      for (const track of tracks) yield* this.#track(track, group);
    }
  }

  #isFull(): boolean {
    return this.packets.size >= PIECE_BYTES;
  }

  /** Where nothing on any track means that nothing happened. */
  *#lost(): Generator<void> {
    const stretches = lostStretches(this.#data);
    if (stretches.length === 0) return;
    const track = this.#declare({ name: 'Events lost by the recorder' });
    for (const { startNs, endNs, table } of stretches) {
      const length = ['duration in ns', endNs - startNs] as const;
      this.packets.instant(track, startNs, table ?? 'of any table', { numbers: [length] });
      if (this.#isFull()) yield;
    }
  }

  #track(track: Track, group: Group): Generator<void> {
    if (isEventTrack(track)) return this.#events(track, group);
    return track.kind === 'line' ? this.#values(track, group) : this.#counts(track, group);
  }

  *#events(track: EventTrack, group: Group): Generator<void> {
    const lanes = [...track.lanes(), ...(track.ground === undefined ? [] : [track.ground()])];
    const events = eventsInOrder(lanes);
    const rowLabel = `row of ${track.table}`;
    const lines: number[] = [];
    const uuidOf = (line: number) => {
      lines[line] ??= this.#declare(described(track, group()));
      return lines[line];
    };
    const steps = track.kind === 'marks' ? instantly(events) : dealToLines(events);
    for (const step of steps) {
      const uuid = uuidOf(step.line);
      if (step.kind === 'end') this.packets.end(uuid, step.ns);
      else this.#event(track, rowLabel, uuid, step);
      if (this.#isFull()) yield;
    }
  }

  #event(track: EventTrack, rowLabel: string, uuid: number, { kind, event }: Started): void {
    const { lane, index, startNs, endNs } = event;
    const name = this.#shown(track.nameOf(lane, index));
    const row = lane.rows.at(index) ?? NO_ROW;
    const isStored = track.table !== undefined && row !== NO_ROW;
    const numbers: (readonly [string, number])[] = [];
    if (isStored) numbers.push([rowLabel, row]);
    if (kind === 'instant' && endNs > startNs) numbers.push(['duration in ns', endNs - startNs]);
    const details = { numbers, flowIds: isStored ? this.#flowIds(track, row) : [] };
    if (kind === 'begin') this.packets.begin(uuid, startNs, name, details);
    else this.packets.instant(uuid, startNs, name, details);
  }

  /** An arrow for each row of gpu_work, from the outermost call that asked for it. */
  #flowIds({ table, kind }: EventTrack, row: number): readonly number[] {
    const { tables } = this.#data;
    if (table === 'gpu_work' && kind === 'events')
      return callOfWork(tables, row) < 0 ? [] : [row + 1];
    if (table !== 'cuda_call') return [];
    const works = workOfCall(tables, row);
    if (works.length === 0) return [];
    return Array.from(works)
      .filter((work) => callOfWork(tables, work) === row)
      .map((work) => work + 1);
  }

  *#values(track: LineTrack, group: Group): Generator<void> {
    const { unit } = track;
    const { timesNs, values } = track.samples();
    const uuid = this.#declare({ ...described(track, group()), unit });
    for (let index = 0; index < timesNs.length; index++) {
      this.packets.counter(uuid, Math.max(0, timesNs[index]), values[index]);
      if (this.#isFull()) yield;
    }
  }

  *#counts(track: BucketTrack, group: Group): Generator<void> {
    const { op } = track;
    const { startNs, durationNs, counts } = track.buckets();
    const uuid = this.#declare({ ...described(track, group()), unit: this.#shown(op) });
    for (let index = 0; index < startNs.length; index++) {
      const beginNs = Math.max(0, startNs[index]);
      const endNs = beginNs + durationNs[index];
      this.packets.counter(uuid, beginNs, counts[index]);
      if ((startNs[index + 1] ?? Infinity) > endNs) this.packets.counter(uuid, endNs, 0);
      if (this.#isFull()) yield;
    }
  }

  /** A track under a name that no other of its parent has: Perfetto would make one of them. */
  #declare({ name, parent, ...more }: Declaration): number {
    const shown = this.#shown(name);
    const key = `${parent} ${shown}`;
    const count = (this.#siblings.get(key) ?? 0) + 1;
    this.#siblings.set(key, count);
    const uuid = ++this.#tracks;
    const unique = count === 1 ? shown : `${shown} (${count})`;
    this.packets.track({
      ...more,
      uuid,
      name: unique,
      rank: uuid,
      ...(parent !== undefined && { parent }),
      ...(more.description !== undefined && { description: this.#shown(more.description) }),
    });
    return uuid;
  }

  #shown(text: string): string {
    const known = this.#hidden.get(text);
    if (known !== undefined) return known;
    const shown = this.#hide(text);
    this.#hidden.set(text, shown);
    return shown;
  }
}

type Started = Exclude<LineStep, { readonly kind: 'end' }>;

/** Marks have a moment each, and no length. */
function* instantly(events: Iterable<LaneEvent>): Generator<LineStep> {
  for (const event of events) yield { kind: 'instant', line: 0, event };
}

/** Its number. It is declared with its first track that has something to show. */
type Group = () => number;

type Declaration = Pick<TrackDescription, 'parent' | 'description' | 'unit'> & {
  readonly name: string;
};

/** That it is sampled stands in its name too, where it is seen at once. */
function described({ label, detail, badge, provenance }: Track, parent: number) {
  const description = provenance === '' ? {} : { description: provenance };
  return { parent, name: joined(label, detail, badge), ...description };
}

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(DOT);
