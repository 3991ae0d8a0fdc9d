import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { NONE } from '../../../shared/model/schema.ts';
import type { Frame, FrameLanguage, Stacks } from '../../../shared/model/stacks.ts';
import { cleanText } from '../../../shared/text/text.ts';
import { StackBuilder } from '../../build/stacks.ts';
import { withoutKernelAddress } from '../../files/kernel-addresses.ts';
import { columnNames, jsonArray, readRows, text, textColumn } from '../../sqlite/read-table.ts';

/** Ingero cuts stacks at 127 native and 64 Python frames. */
const MAX_FRAMES = 256;
const MAX_STACK_CHARACTERS = 256 * 1024;
const MAX_STACKS = 200_000;

/** Stacks of a file: interned ones by their hash, those written into event rows by their text. */
export class StackTable {
  readonly #builder = new StackBuilder();
  #count = 0;
  /** Hashes are signed 64-bit, so only bigints tell them apart. */
  readonly #byHash = new Map<bigint, number>();
  readonly #byText = new Map<string, number>();

  add(hash: bigint, frames: readonly Frame[]): void {
    if (frames.length > 0) this.#byHash.set(hash, this.#keep(frames));
  }

  build(): Stacks {
    return this.#builder.build();
  }

  /** The stack of an event from its `stack_hash` and `stack_ips` cells, -1 = none. */
  indexOf(hash: SQLOutputValue | undefined, inline: SQLOutputValue | undefined): number {
    if (typeof hash === 'bigint' && hash !== 0n) {
      const index = this.#byHash.get(hash);
      if (index !== undefined) return index;
    }
    return typeof inline === 'string' && inline !== '' ? this.#internText(inline) : NONE;
  }

  #internText(addresses: string): number {
    const known = this.#byText.get(addresses);
    if (known !== undefined) return known;
    if (this.#count >= MAX_STACKS) return NONE;
    const index = this.#keep(parseAddresses(addresses));
    this.#byText.set(addresses, index);
    return index;
  }

  #keep(frames: readonly Frame[]): number {
    if (frames.length > 0) this.#count++;
    return this.#builder.add(frames);
  }
}

/** Reads `stack_traces`; stacks that are not valid JSON are left out. */
export function readStacks(database: DatabaseSync): StackTable {
  const table = new StackTable();
  const columns = columnNames(database, 'stack_traces');
  if (!columns.has('hash')) return table;
  const sql = `SELECT hash, ${textColumn(columns, 'frames', MAX_STACK_CHARACTERS)},
    ${textColumn(columns, 'ips', MAX_STACK_CHARACTERS)} FROM stack_traces LIMIT ${MAX_STACKS}`;
  for (const [hash, frames, ips] of readRows(database, sql)) {
    if (typeof hash !== 'bigint') continue;
    const resolved = parseFrames(frames);
    table.add(hash, resolved.length > 0 ? resolved : parseAddresses(ips));
  }
  return table;
}

/** `["0x7f12","0x7f34"]`: addresses nobody resolved. */
export function parseAddresses(json: unknown): Frame[] {
  return jsonArray(json, MAX_FRAMES).flatMap((address) =>
    typeof address === 'string' && address !== ''
      ? [{ symbol: withoutKernelAddress(text(address, 64)), language: 'native' as const }]
      : [],
  );
}

/**
 * `[{i,s,f,l,pf,pfn,pl}]` as frames, leaf first. Ingero puts the Python frames, themselves leaf
 * first, before the native ones, which are the callees; only where it found the interpreter's
 * own frames (libpython) are they already in place.
 */
export function parseFrames(json: unknown): Frame[] {
  const frames = jsonArray(json, MAX_FRAMES).flatMap(parseFrame);
  const inPlace = frames.some(({ language, file }) => language === 'native' && isPython(file));
  const firstNative = frames.findIndex(({ language }) => language === 'native');
  if (inPlace || firstNative <= 0) return frames;
  return [...frames.slice(firstNative), ...frames.slice(0, firstNative)];
}

const isPython = (file: string | undefined) => file?.startsWith('libpython') === true;

function parseFrame(value: unknown): Frame[] {
  if (typeof value !== 'object' || value === null) return [];
  const { i, s, f, l, pf, pfn, pl } = value as Readonly<Record<string, unknown>>;
  if (isText(pfn) || isText(pf)) return [frame(isText(pfn) ? pfn : '?', pf, pl, 'python')];
  if (isText(s)) return [frame(s, f, l, 'native')];
  if (isText(i)) return [frame(i, f, l, 'native')];
  return isText(f) ? [frame('?', f, l, 'native')] : [];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function frame(symbol: string, file: unknown, line: unknown, language: FrameLanguage): Frame {
  return {
    symbol: withoutKernelAddress(cleanText(symbol)),
    ...(isText(file) ? { file: cleanText(file) } : {}),
    ...(typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? { line } : {}),
    language,
  };
}
