/** SSH's data types (RFC 4251 §5), as they stand in keys and in the agent's answers. */

/** Reads one after the other; `undefined` where the bytes end too early. */
export class WireReader {
  #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number | undefined {
    return this.#take(1)?.[0];
  }

  uint32(): number | undefined {
    return this.#take(4)?.readUInt32BE(0);
  }

  string(): Buffer | undefined {
    const length = this.uint32();
    return length === undefined ? undefined : this.#take(length);
  }

  #take(length: number): Buffer | undefined {
    if (this.#bytes.length < length) return undefined;
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }
}

export function wireString(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A positive number, big endian. */
export function wireNumber(magnitude: Buffer): Buffer {
  const first = magnitude.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.alloc(0) : magnitude.subarray(first);
  // A leading bit that is set would make it negative.
  const sign = (digits[0] ?? 0) >= 0x80 ? Buffer.alloc(1) : Buffer.alloc(0);
  return wireString(Buffer.concat([sign, digits]));
}
