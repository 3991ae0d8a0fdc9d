import protobuf from 'protobufjs/minimal.js';

type ProtoWriter = protobuf.Writer;

/** Wire types of protobuf. */
const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;

/** Field numbers: see perfetto.proto. */
const field = {
  trace: { packet: 1 },
  packet: {
    clockSnapshot: 6,
    timestamp: 8,
    sequence: 10,
    trackEvent: 11,
    internedData: 12,
    sequenceFlags: 13,
    trackDescriptor: 60,
  },
  snapshot: { clocks: 1 },
  clock: { id: 1, timestamp: 2 },
  track: {
    uuid: 1,
    name: 2,
    parent: 5,
    counter: 8,
    childOrdering: 11,
    rank: 12,
    description: 14,
  },
  counter: { unitName: 6 },
  event: { annotations: 4, type: 9, nameIid: 10, track: 11, doubleValue: 44, flowIds: 47 },
  annotation: { nameIid: 1, intValue: 4 },
  interned: { eventNames: 2, annotationNames: 3 },
  name: { iid: 1, name: 2 },
} as const;

const SLICE_BEGIN = 1;
const SLICE_END = 2;
const INSTANT = 3;
const COUNTER = 4;
const ORDER_EXPLICIT = 3;
const REALTIME = 1;
const BOOTTIME = 6;
const CLEARS_INTERNED = 1;
const NEEDS_INTERNED = 2;
const SEQUENCE = 1;

export interface TrackDescription {
  /** 0 = the root. */
  readonly uuid: number;
  readonly parent?: number;
  readonly name?: string;
  /** Shown as help. */
  readonly description?: string;
  /** Place among the tracks of its parent. */
  readonly rank?: number;
  /** A track of values in this unit; else it takes slices and instants. */
  readonly unit?: string;
}

export interface EventDetails {
  /** Numbers shown with the event, each with what it is called. */
  readonly numbers?: readonly (readonly [label: string, value: number])[];
  /** Events with an id in common are linked by arrows, in order of time. */
  readonly flowIds?: readonly number[];
}

/** Makes packets of Perfetto's trace format. Times are ns, from 0. */
export class PacketWriter {
  #writer = protobuf.Writer.create();
  readonly #eventNames = new Names();
  readonly #annotationNames = new Names();
  #isFirst = true;

  /** Bytes that wait to be taken. */
  get size(): number {
    return this.#writer.len;
  }

  /** The packets made since the last call. A file is all of them, one after the other. */
  take(): Uint8Array {
    const bytes = this.#writer.finish();
    this.#writer = protobuf.Writer.create();
    return bytes;
  }

  /** That `ns` of the trace is `unixNs` of the calendar. */
  clock(ns: number, unixNs: bigint): void {
    this.#packet((packet) => {
      message(packet, field.packet.clockSnapshot, (snapshot) => {
        clockReading(snapshot, BOOTTIME, BigInt(ns));
        clockReading(snapshot, REALTIME, unixNs);
      });
    });
  }

  track({ uuid, parent, name, description, rank, unit }: TrackDescription): void {
    this.#packet((packet) => {
      message(packet, field.packet.trackDescriptor, (track) => {
        number(track, field.track.uuid, uuid);
        if (name !== undefined) text(track, field.track.name, name);
        if (parent !== undefined) number(track, field.track.parent, parent);
        if (unit !== undefined)
          message(track, field.track.counter, (counter) =>
            text(counter, field.counter.unitName, unit),
          );
        number(track, field.track.childOrdering, ORDER_EXPLICIT);
        if (rank !== undefined) number(track, field.track.rank, rank);
        if (description !== undefined) text(track, field.track.description, description);
      });
    });
  }

  begin(track: number, ns: number, name: string, details?: EventDetails): void {
    this.#named(SLICE_BEGIN, track, ns, name, details);
  }

  end(track: number, ns: number): void {
    this.#packet((packet) => {
      number(packet, field.packet.timestamp, ns);
      message(packet, field.packet.trackEvent, (event) => eventHead(event, SLICE_END, track));
    });
  }

  instant(track: number, ns: number, name: string, details?: EventDetails): void {
    this.#named(INSTANT, track, ns, name, details);
  }

  counter(track: number, ns: number, value: number): void {
    this.#packet((packet) => {
      number(packet, field.packet.timestamp, ns);
      message(packet, field.packet.trackEvent, (event) => {
        eventHead(event, COUNTER, track);
        tag(event, field.event.doubleValue, FIXED_64).double(value);
      });
    });
  }

  #named(
    type: number,
    track: number,
    ns: number,
    name: string,
    { numbers = [], flowIds = [] }: EventDetails = {},
  ): void {
    const nameIid = this.#eventNames.idOf(name);
    this.#packet((packet) => {
      number(packet, field.packet.timestamp, ns);
      message(packet, field.packet.trackEvent, (event) => {
        for (const [label, value] of numbers)
          message(event, field.event.annotations, (annotation) => {
            number(annotation, field.annotation.nameIid, this.#annotationNames.idOf(label));
            number(annotation, field.annotation.intValue, value);
          });
        eventHead(event, type, track);
        number(event, field.event.nameIid, nameIid);
        for (const id of flowIds) tag(event, field.event.flowIds, FIXED_64).fixed64(id);
      });
      this.#newNames(packet);
    }, NEEDS_INTERNED);
  }

  #newNames(packet: ProtoWriter): void {
    const names = this.#eventNames.takeNew();
    const annotationNames = this.#annotationNames.takeNew();
    if (names.length + annotationNames.length === 0) return;
    message(packet, field.packet.internedData, (interned) => {
      for (const each of names) internedName(interned, field.interned.eventNames, each);
      for (const each of annotationNames)
        internedName(interned, field.interned.annotationNames, each);
    });
  }

  /** A reader skips what refers to names before a packet has said that they begin: the first one does. */
  #packet(fill: (packet: ProtoWriter) => void, needs = 0): void {
    const flags = this.#isFirst ? needs | CLEARS_INTERNED : needs;
    this.#isFirst = false;
    message(this.#writer, field.trace.packet, (packet) => {
      fill(packet);
      number(packet, field.packet.sequence, SEQUENCE);
      if (flags > 0) number(packet, field.packet.sequenceFlags, flags);
    });
  }
}

/** Names that stand once in a file, and by their number elsewhere. */
class Names {
  readonly #ids = new Map<string, number>();
  #new: InternedName[] = [];

  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const iid = this.#ids.size + 1;
    this.#ids.set(name, iid);
    this.#new.push({ iid, name });
    return iid;
  }

  takeNew(): readonly InternedName[] {
    const taken = this.#new;
    if (taken.length > 0) this.#new = [];
    return taken;
  }
}

interface InternedName {
  readonly iid: number;
  readonly name: string;
}

function internedName(writer: ProtoWriter, fieldNumber: number, { iid, name }: InternedName): void {
  message(writer, fieldNumber, (entry) => {
    number(entry, field.name.iid, iid);
    text(entry, field.name.name, name);
  });
}

function eventHead(event: ProtoWriter, type: number, track: number): void {
  number(event, field.event.type, type);
  number(event, field.event.track, track);
}

function clockReading(snapshot: ProtoWriter, id: number, ns: bigint): void {
  message(snapshot, field.snapshot.clocks, (clock) => {
    number(clock, field.clock.id, id);
    const halves = { low: Number(ns & 0xffffffffn), high: Number(ns >> 32n), unsigned: true };
    tag(clock, field.clock.timestamp, VARINT).uint64(halves as never);
  });
}

function tag(writer: ProtoWriter, fieldNumber: number, wire: number): ProtoWriter {
  return writer.uint32((fieldNumber << 3) | wire);
}

/** A whole number, at least 0 and below 2^53. */
function number(writer: ProtoWriter, fieldNumber: number, value: number): void {
  const tagged = tag(writer, fieldNumber, VARINT);
  if (value < 2 ** 32) tagged.uint32(value);
  else tagged.uint64(value);
}

function text(writer: ProtoWriter, fieldNumber: number, value: string): void {
  tag(writer, fieldNumber, BYTES).string(value);
}

function message(
  writer: ProtoWriter,
  fieldNumber: number,
  fill: (inner: ProtoWriter) => void,
): void {
  fill(tag(writer, fieldNumber, BYTES).fork());
  writer.ldelim();
}
