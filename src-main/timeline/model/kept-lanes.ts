import { remember } from './remember.ts';

/**
 * Lanes are kept while there is room. Those that were used longest ago are let go of then, and built again when they are asked
 * for. Within one answer none goes: code that runs in one piece may compare lanes by identity.
 */

interface Entry {
  value: unknown;
  bytes: number;
}

/** Those that hold a value, used longest ago first. */
const held = new Set<Entry>();
let heldBytes = 0;
let mostBytes = 256 * 2 ** 20;
let willTrim = false;

/** How much the lanes of a process may hold from now on, bytes. */
export function keepLanesWithin(bytes: number): void {
  mostBytes = bytes;
  trimLater();
}

/** What the lanes of a process hold now, bytes. */
export function bytesOfLanes(): number {
  return heldBytes;
}

/** `make`, done when first asked, kept for this owner and key while there is room, and done again after. */
export function laneOnce<Value extends object>(
  owner: object,
  key: string,
  make: () => Value,
): () => Value {
  const entry = remember(owner, key, (): Entry => ({ value: undefined, bytes: 0 }));
  return () => {
    if (entry.value === undefined) hold(entry, make());
    held.delete(entry);
    held.add(entry);
    return entry.value as Value;
  };
}

function hold(entry: Entry, value: object): void {
  entry.value = value;
  entry.bytes = bytesIn(value);
  heldBytes += entry.bytes;
  if (heldBytes > mostBytes) trimLater();
}

function trimLater(): void {
  if (willTrim) return;
  willTrim = true;
  queueMicrotask(trim);
}

function trim(): void {
  willTrim = false;
  for (const entry of held) {
    if (heldBytes <= mostBytes) return;
    held.delete(entry);
    heldBytes -= entry.bytes;
    entry.value = undefined;
    entry.bytes = 0;
  }
}

/** Of the arrays of numbers in it; what is shared with others counts as well. */
function bytesIn(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum, each) => sum + bytesIn(each), 0);
}
