import { join } from 'node:path';
import protobuf from 'protobufjs';

/** A slice or an instant as a reader of Perfetto has it. */
interface PerfettoEvent {
  readonly name: string;
  readonly startNs: number;
  /** Absent of an instant. */
  durationNs?: number;
  /** Slices around it, on its track. */
  readonly depth: number;
  readonly numbers: Readonly<Record<string, number>>;
  readonly flowIds: readonly string[];
}

interface PerfettoTrack {
  readonly name: string;
  readonly parent: string | undefined;
  readonly description: string | undefined;
  readonly unit: string | undefined;
  readonly events: PerfettoEvent[];
  readonly values: (readonly [ns: number, value: number])[];
}

export interface PerfettoTrace {
  /** In the order of the file, but for the root. */
  readonly tracks: readonly PerfettoTrack[];
  /** Readings of clocks: id, ns. */
  readonly clocks: readonly (readonly [id: number, ns: string])[];
}

interface Packet {
  readonly timestamp?: string;
  readonly sequenceFlags?: number;
  readonly trustedPacketSequenceId?: number;
  readonly clockSnapshot?: { readonly clocks: readonly { clockId: number; timestamp: string }[] };
  readonly trackDescriptor?: {
    readonly uuid: string;
    readonly name?: string;
    readonly parentUuid?: string;
    readonly description?: string;
    readonly counter?: { readonly unitName: string };
  };
  readonly trackEvent?: {
    readonly type: string;
    readonly trackUuid: string;
    readonly nameIid?: string;
    readonly doubleCounterValue?: number;
    readonly flowIds?: readonly string[];
    readonly debugAnnotations?: readonly { nameIid: string; intValue: string }[];
  };
  readonly internedData?: {
    readonly eventNames?: readonly { iid: string; name: string }[];
    readonly debugAnnotationNames?: readonly { iid: string; name: string }[];
  };
}

const CLEARS_INTERNED = 1;
const NEEDS_INTERNED = 2;

function packetsOf(bytes: Uint8Array): readonly Packet[] {
  const path = join(import.meta.dirname, '../perfetto/perfetto.proto');
  const type = protobuf.loadSync(path).lookupType('perfetto.protos.Trace');
  const trace = type.toObject(type.decode(bytes), { longs: String, enums: String, arrays: false });
  return (trace as { packet?: readonly Packet[] }).packet ?? [];
}

/** What a trace of Perfetto says, by its rules: an end closes the innermost slice of its track. */
export function readPerfetto(bytes: Uint8Array): PerfettoTrace {
  const packets = packetsOf(bytes);
  const tracks = new Map<string, PerfettoTrack>();
  const names = new Map<string, string>();
  const annotationNames = new Map<string, string>();
  const cleared = packets.flatMap(({ sequenceFlags = 0 }, at) =>
    (sequenceFlags & CLEARS_INTERNED) === 0 ? [] : [at],
  );
  if (packets.length > 0 && String(cleared) !== '0') throw new Error('names begin elsewhere');
  for (const { trackDescriptor: track, internedData, trustedPacketSequenceId } of packets) {
    if (trustedPacketSequenceId !== 1) throw new Error('a packet of no sequence');
    for (const { iid, name } of internedData?.eventNames ?? []) names.set(iid, name);
    for (const { iid, name } of internedData?.debugAnnotationNames ?? [])
      annotationNames.set(iid, name);
    if (track === undefined || track.uuid === '0') continue;
    tracks.set(track.uuid, {
      name: track.name ?? '',
      parent: tracks.get(track.parentUuid ?? '')?.name,
      description: track.description,
      unit: track.counter?.unitName,
      events: [],
      values: [],
    });
  }
  const open = new Map<PerfettoTrack, PerfettoEvent[]>();
  const timed = packets.filter(({ trackEvent }) => trackEvent !== undefined);
  timed.sort((a, b) => Number(a.timestamp) - Number(b.timestamp));
  for (const { trackEvent: event, timestamp, sequenceFlags = 0 } of timed) {
    if (event === undefined) continue;
    const track = tracks.get(event.trackUuid);
    if (track === undefined) throw new Error(`an event of no track: ${event.trackUuid}`);
    const ns = Number(timestamp);
    const around = open.get(track) ?? [];
    open.set(track, around);
    if (event.type === 'TYPE_COUNTER') {
      track.values.push([ns, event.doubleCounterValue ?? Number.NaN]);
    } else if (event.type === 'TYPE_SLICE_END') {
      const ended = around.pop();
      if (ended === undefined) throw new Error(`an end of nothing at ${ns} ns`);
      ended.durationNs = ns - ended.startNs;
    } else {
      if ((sequenceFlags & NEEDS_INTERNED) === 0) throw new Error('names without their table');
      const started: PerfettoEvent = {
        name: names.get(event.nameIid ?? '') ?? '?',
        startNs: ns,
        depth: around.length,
        numbers: Object.fromEntries(
          (event.debugAnnotations ?? []).map(({ nameIid, intValue }) => [
            annotationNames.get(nameIid) ?? '?',
            Number(intValue),
          ]),
        ),
        flowIds: event.flowIds ?? [],
      };
      track.events.push(started);
      if (event.type === 'TYPE_SLICE_BEGIN') around.push(started);
    }
  }
  for (const left of open.values()) if (left.length > 0) throw new Error('a slice without an end');
  const clocks = packets.flatMap(({ clockSnapshot }) => clockSnapshot?.clocks ?? []);
  return {
    tracks: [...tracks.values()],
    clocks: clocks.map(({ clockId, timestamp }) => [clockId, timestamp] as const),
  };
}
