import { type Field, protobufFields } from '../content/protobuf.ts';
import { NOT_YET, RECORD, type Recognised } from './recognised.ts';

/** Fields of `TracePacket`, with their wire types: timestamp, sequence, marker, packets in compressed form. */
const TELLING_FIELDS = new Map([
  [8, 0],
  [10, 0],
  [36, 2],
  [50, 2],
]);

/** `perfetto/trace/trace.proto`: nothing but packets, each field 1 of the whole. */
export const perfetto: Recognised = {
  is: 'a Perfetto trace',
  but: NOT_YET,
  instead: `look at it at ui.perfetto.dev, or ${RECORD}`,
  isIn({ bytes }) {
    const packets = protobufFields(bytes);
    if (packets === undefined || packets.length === 0) return false;
    return (
      packets.every(({ number, wireType }) => number === 1 && wireType === 2) &&
      packets.some((packet) => isPacket(bytes, packet))
    );
  },
};

function isPacket(bytes: Buffer, { start, end }: Field): boolean {
  const fields = protobufFields(bytes.subarray(start, end));
  return fields?.some(({ number, wireType }) => TELLING_FIELDS.get(number) === wireType) === true;
}
