/** mulberry32: a seed gives the same run on every machine. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TELLING = Buffer.from('"\\{}[],:0 \n');

/** A copy with bytes changed, left out or put in, most of them such as JSON is made of; one in ten is cut. */
export function damaged(original: Buffer, random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  let bytes = Buffer.from(original);
  for (let changes = 1 + below(8); changes > 0; changes--) {
    const at = below(bytes.length);
    const byte = random() < 0.7 ? TELLING[below(TELLING.length)] : below(256);
    const kind = below(3);
    if (kind === 0) bytes[at] = byte;
    else if (kind === 1)
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)]);
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(20))]);
  }
  return random() < 0.1 ? bytes.subarray(0, below(bytes.length)) : bytes;
}
