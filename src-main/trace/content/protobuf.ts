/** A field of a protobuf message, https://protobuf.dev/programming-guides/encoding. */
export interface Field {
  readonly number: number;
  /** 0 = number, 1 = 64 bits, 2 = bytes, 5 = 32 bits. */
  readonly wireType: number;
  /** Where its bytes begin and end; the end may lie beyond what was read. */
  readonly start: number;
  readonly end: number;
}

/** The fields of the message in `bytes`, which may be cut off; undefined where it is none. */
export function protobufFields(bytes: Buffer): readonly Field[] | undefined {
  const fields: Field[] = [];
  let position = 0;
  while (position < bytes.length) {
    const tag = readVarint(bytes, position);
    if (tag === undefined) return isNearEnd(bytes, position) ? fields : undefined;
    const number = Math.floor(tag.value / 8);
    const wireType = tag.value % 8;
    const content = contentOf(bytes, tag.end, wireType);
    if (number === 0 || number >= 2 ** 29) return undefined;
    if (content === undefined) return isNearEnd(bytes, position) ? fields : undefined;
    fields.push({ number, wireType, ...content });
    position = content.end;
  }
  return fields;
}

function contentOf(bytes: Buffer, start: number, wireType: number) {
  if (wireType === 1) return { start, end: start + 8 };
  if (wireType === 5) return { start, end: start + 4 };
  if (wireType !== 0 && wireType !== 2) return undefined;
  const varint = readVarint(bytes, start);
  if (varint === undefined || wireType === 0) return varint && { start, end: varint.end };
  return { start: varint.end, end: varint.end + varint.value };
}

const MAX_VARINT_BYTES = 10;

/** What is cut off may be anything. */
function isNearEnd(bytes: Buffer, position: number): boolean {
  return bytes.length - position < 2 * MAX_VARINT_BYTES;
}

function readVarint(bytes: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return undefined;
}
