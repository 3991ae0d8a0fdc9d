import { findNative, type NativeLibrary } from './library.ts';

/** native/src/events.h: events of the Trace Event Format out of bytes that may be hostile, as numbers. */

/** What is told of an event, in this order; `enum event_cell` has the same. */
export const EVENT = {
  behind: 0,
  phase: 1,
  category: 2,
  name: 3,
  process: 4,
  thread: 5,
  startNs: 6,
  durationNs: 7,
  idFrom: 8,
  idTo: 9,
  argsFrom: 10,
  argsTo: 11,
  correlation: 12,
  device: 13,
  context: 14,
  stream: 15,
  bytes: 16,
  graph: 17,
  node: 18,
  grid: 19,
  block: 22,
} as const;
export const EVENT_CELLS = 25;

/** So many are told at once. */
const ROWS = 4096;

/** A file's texts by number, as TextTable keeps them. */
export interface ScannedTexts {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly slots: Int32Array;
}

/** Tells events that are whole and plain; belongs to whoever reads one file. */
export interface EventScan {
  /** Of event r, what is told stands from `r * EVENT_CELLS` on. */
  readonly cells: Float64Array;
  /** How many events follow each other from `at` on, before the first that is left to JavaScript. */
  readonly scan: (
    bytes: Uint8Array,
    at: number,
    end: number,
    baseUs: number,
    texts: ScannedTexts,
  ) => number;
}

type Scan = (
  bytes: Uint8Array,
  at: number,
  end: number,
  baseUs: number,
  textBytes: Uint8Array,
  textStarts: Uint32Array,
  textSlots: Int32Array,
  textSlotCount: number,
  cells: Float64Array,
  rows: number,
) => number;

const declared = new WeakMap<NativeLibrary, Scan>();

/** `undefined` of a library that was built before it had the function. */
function declareScan(library: NativeLibrary): Scan | undefined {
  let scan = declared.get(library);
  try {
    scan ??= library.declare<Scan>(
      'int32_t events_scan(const uint8_t *bytes, int32_t at, int32_t end, double base_us, const uint8_t *text_bytes, const uint32_t *text_starts, const int32_t *text_slots, int32_t text_slot_count, double *cells, int32_t rows)',
    );
  } catch {
    return undefined;
  }
  declared.set(library, scan);
  return scan;
}

/** `undefined` where there is no native code. */
export function openEventScan(): EventScan | undefined {
  const { library } = findNative();
  const scan = library && declareScan(library);
  if (scan === undefined) return undefined;
  const cells = new Float64Array(ROWS * EVENT_CELLS);
  return {
    cells,
    scan(bytes, at, end, baseUs, { bytes: texts, starts, slots }) {
      // Positions are numbers of 32 bits there, and nobody there knows where an array ends.
      if (!(at >= 0 && at <= end && end <= bytes.length && end < 2 ** 31)) return 0;
      return scan(bytes, at, end, baseUs, texts, starts, slots, slots.length, cells, ROWS);
    },
  };
}
