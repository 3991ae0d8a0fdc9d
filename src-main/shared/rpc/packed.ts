/**
 * A value with number arrays in it as one binary body: `STP1`, the length of its text (u32 LE), JSON in which an array
 * stands as `{"$":[type, byteOffset, length]}`, then each array at a multiple of 8 bytes, little-endian, offsets counted
 * from the body's begin. Arrays are read as views of the body.
 */

const MAGIC = 0x31505453; // "STP1", little-endian
const PREFIX_BYTES = 8;

const types = {
  u8: Uint8Array,
  i32: Int32Array,
  u32: Uint32Array,
  f64: Float64Array,
} as const;
type TypeName = keyof typeof types;
type NumberArray = InstanceType<(typeof types)[TypeName]>;

const align8 = (offset: number) => Math.ceil(offset / 8) * 8;

function typeOf(value: object): TypeName | undefined {
  return (Object.keys(types) as TypeName[]).find((name) => value instanceof types[name]);
}

const isNested = (part: unknown): part is object => typeof part === 'object' && part !== null;

/** What `replace` makes of each object within a value, itself among them; undefined = it is looked into. */
function replaced(value: unknown, replace: (part: object) => unknown): unknown {
  if (!isNested(value)) return value;
  const found = replace(value);
  if (found !== undefined) return found;
  if (Array.isArray(value)) return value.map((part) => replaced(part, replace));
  const parts = Object.entries(value);
  for (const part of parts) if (isNested(part[1])) part[1] = replaced(part[1], replace);
  return Object.fromEntries(parts);
}

/**
 * Number arrays of other kinds than `types` have no place in it. Here and in `decodePacked` objects alone are looked at:
 * JSON's own way is to be called back for each number, and an answer has thousands of arrays.
 */
export function encodePacked(value: unknown): Uint8Array {
  const arrays: { readonly array: NumberArray; readonly offset: number }[] = [];
  let arrayBytes = 0;
  const reference = (part: object) => {
    const type = typeOf(part);
    if (type === undefined) return undefined;
    const array = part as NumberArray;
    const offset = arrayBytes;
    arrays.push({ array, offset });
    arrayBytes += align8(array.byteLength);
    return { $: [type, offset, array.length] };
  };
  const text = new TextEncoder().encode(JSON.stringify(replaced(value, reference)));
  const begin = align8(PREFIX_BYTES + text.length);
  const body = new Uint8Array(begin + arrayBytes);
  const view = new DataView(body.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, text.length, true);
  body.set(text, PREFIX_BYTES);
  for (const { array, offset } of arrays)
    body.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), begin + offset);
  return body;
}

interface Reference {
  readonly $: readonly [type: TypeName, offset: number, length: number];
}

const isReference = (part: object): part is Reference => '$' in part;

/** What `encodePacked` was given. Throws RangeError where the body is cut or not one of ours. */
export function decodePacked(body: ArrayBuffer): unknown {
  if (body.byteLength < PREFIX_BYTES || new DataView(body).getUint32(0, true) !== MAGIC)
    throw new RangeError('not a packed body');
  const textBytes = new DataView(body).getUint32(4, true);
  if (PREFIX_BYTES + textBytes > body.byteLength) throw new RangeError('a packed body is cut off');
  const begin = align8(PREFIX_BYTES + textBytes);
  const text = new TextDecoder().decode(new Uint8Array(body, PREFIX_BYTES, textBytes));
  return replaced(JSON.parse(text), (part) => {
    if (!isReference(part)) return undefined;
    const [type, offset, length] = part.$;
    return new types[type](body, begin + offset, length);
  });
}
