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

/** A trace in an archive may be as large, and as densely packed, as one that is packed alone (trace/content/unpack.ts). */
export const archiveLimits: ArchiveLimits = {
  manifestBytes: 10 ** 6,
  notesBytes: 50 * 10 ** 6,
  viewBytes: 20 * 10 ** 6,
  traceBytes: 2 ** 40,
  ratio: 500,
  ratioFromBytes: 2 ** 28,
  spareBytes: SPARE_BYTES,
};
