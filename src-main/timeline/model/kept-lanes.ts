import { remember } from './remember.ts';

/**
 * Lanes are kept while there is room. Those that were used longest ago are let go of then, and built again when they are asked
 * for. Within one answer none goes: code that runs in one piece may compare lanes by identity.
 * Only their owner holds them: with it they go.
 */

interface Entry {
  value: unknown;
  readonly held: Held;
}

/** What is known of an entry without holding it, so that its value may refer to the owner. */
interface Held {
  entry?: WeakRef<Entry>;
  bytes: number;
}

/** Those that hold a value, used longest ago first. */
const held = new Set<Held>();
let heldBytes = 0;
let mostBytes = 256 * 2 ** 20;
let willTrim = false;
/** Of those that went with their owner. */
const gone = new FinalizationRegistry<Held>(forget);

/** How much the lanes of a process may hold from now on, bytes. */
export function keepLanesWithin(bytes: number): void {
  mostBytes = bytes;
  trimLater();
}

/** What the lanes of a process hold now, bytes. */
export function bytesOfLanes(): number {
  return heldBytes;
}

/**
 * `make`, done when first asked, kept for this owner and key while there is room, and done again after. Who has at hand
 * what it is made of makes it otherwise.
 */
export function laneOnce<Value extends object>(
  owner: object,
  key: string,
  make: () => Value,
): (make?: () => Value) => Value {
  const entry = remember(owner, key, newEntry);
  return (makeNow = make) => {
    if (entry.value === undefined) hold(entry, makeNow());
    held.delete(entry.held);
    held.add(entry.held);
    return entry.value as Value;
  };
}

function newEntry(): Entry {
  const entry: Entry = { value: undefined, held: { bytes: 0 } };
  entry.held.entry = new WeakRef(entry);
  gone.register(entry, entry.held);
  return entry;
}

function hold(entry: Entry, value: object): void {
  entry.value = value;
  entry.held.bytes = bytesIn(value);
  heldBytes += entry.held.bytes;
  if (heldBytes > mostBytes) trimLater();
}

function trimLater(): void {
  if (willTrim) return;
  willTrim = true;
  queueMicrotask(trim);
}

function trim(): void {
  willTrim = false;
  for (const each of held) {
    if (heldBytes <= mostBytes) return;
    const entry = each.entry?.deref();
    if (entry !== undefined) entry.value = undefined;
    forget(each);
  }
}

function forget(each: Held): void {
  held.delete(each);
  heldBytes -= each.bytes;
  each.bytes = 0;
}

/** Of the arrays of numbers in it; not of columns in memory that threads share, which stay in any case. */
function bytesIn(value: unknown): number {
  if (ArrayBuffer.isView(value))
    return value.buffer instanceof SharedArrayBuffer ? 0 : value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum, each) => sum + bytesIn(each), 0);
}
