import { SPARE_BYTES } from '../system/disk-room.ts';

/** What a .stalltrace file may hold at most. */
export interface ArchiveLimits {
  readonly manifestBytes: number;
  readonly notesBytes: number;
  readonly viewBytes: number;
  readonly traceBytes: number;
  /** A trace beyond `ratioFromBytes` that unpacks to more than so many times its packed size is a bomb. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
  /** Left free on the disk that is unpacked to. */
  readonly spareBytes: number;
}

/** Deflate packs zeros 1,030 times smaller; traces 2 to 5 times, see docs/archive.md. */
export const archiveLimits: ArchiveLimits = {
  manifestBytes: 10 ** 6,
  notesBytes: 50 * 10 ** 6,
  viewBytes: 20 * 10 ** 6,
  traceBytes: 2 ** 40,
  ratio: 500,
  ratioFromBytes: 2 ** 28,
  spareBytes: SPARE_BYTES,
};
