import { SPARE_BYTES } from './disk-room.ts';

/** How large a packed file may become: what it says of itself is its author's word. */
export interface UnpackLimits {
  readonly bytes: number;
  /** What unpacks to more than `ratioFromBytes` and so many times its packed size is a bomb. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
  /** Left free on the disk that is unpacked to. */
  readonly spareBytes: number;
}

/** Deflate packs zeros 1,030 times smaller, zstd 30,000 times; traces 2 to 20 times. */
export const unpackLimits: UnpackLimits = {
  bytes: 2 ** 40,
  ratio: 500,
  ratioFromBytes: 2 ** 28,
  spareBytes: SPARE_BYTES,
};
