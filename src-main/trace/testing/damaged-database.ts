const PAGE_BYTES = 4096;

/** A copy with bytes changed, mostly where it hurts: in the header, in heads of pages, in the schema; one in ten is cut. */
export function damagedDatabase(original: Buffer, random: () => number): Buffer {
  const bytes = Buffer.from(original);
  const below = (limit: number) => Math.floor(random() * limit);
  const changes = 1 + below(40);
  const place = below(4);
  for (let change = 0; change < changes; change++) {
    const page = below(bytes.length / PAGE_BYTES) * PAGE_BYTES;
    const at = [
      () => below(bytes.length),
      () => page + below(64),
      () => below(Math.min(PAGE_BYTES * 3, bytes.length)),
      () => page + PAGE_BYTES - 1 - below(1024),
    ][place]?.();
    bytes[at ?? 0] = random() < 0.2 ? 0xff : below(256);
  }
  return random() < 0.1 ? bytes.subarray(0, below(bytes.length)) : bytes;
}
