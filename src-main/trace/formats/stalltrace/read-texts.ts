import type { DatabaseSync } from 'node:sqlite';
import { NONE } from '../../../shared/model/schema.ts';
import type { Frame } from '../../../shared/model/trace.ts';
import { cleanText, MAX_NAME_LENGTH, MAX_SYMBOL_LENGTH } from '../../../shared/text/text.ts';
import { KERNEL_FILE, withoutKernelAddress } from '../../files/kernel-addresses.ts';
import { countCell, textCell } from './cells.ts';
import { type EntityRow, readEntityRows } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';
import { createIdMap, type IdMap } from './id-map.ts';
import { collectEntities, type Entities } from './read-entities.ts';

/** Highest position a 16-bit column of names can hold. */
const MAX_SHORT_POSITION = 0xffff;

const MAX_FRAMES_PER_STACK = 1024;

/** Characters of all symbols of a file longer than a name: beyond them they are cut like names. */
const MAX_LONG_SYMBOLS = 2 ** 24;

const UNKNOWN_NAME = '(not known)';
const UNRESOLVED = '(not resolved)';

interface Name {
  readonly source: string;
  readonly text: string;
}

/** The names of a file, and the position of the one that says "not known", made when needed. */
export interface Names {
  readonly texts: string[];
  readonly sources: string[];
  readonly ids: IdMap;
  readonly skipped: number;
  unknown(): number;
}

/**
 * The names of a file by id. Operations are referred to by 16-bit positions: where there are more
 * names than that (files, mostly), those of a layer come first.
 */
export function readNames(database: DatabaseSync, schema: FileSchema): Names {
  const found: { id: number; name: Name }[] = [];
  let skipped = 0;
  for (const row of readEntityRows(database, schema, 'name')) {
    const id = countCell(row.id);
    const text = textCell(row.text);
    if (id === undefined || text === undefined) skipped++;
    else found.push({ id, name: { source: textCell(row.source) ?? '', text } });
  }
  found.sort((left, right) => left.id - right.id);
  if (found.length > MAX_SHORT_POSITION) {
    const isText = ({ name }: { name: Name }) => (name.source === '' ? 1 : 0);
    found.sort((left, right) => isText(left) - isText(right) || left.id - right.id);
    found.unshift({ id: NONE, name: { source: '', text: UNKNOWN_NAME } });
  }
  const texts = found.map(({ name }) => name.text);
  const sources = found.map(({ name }) => name.source);
  let unknown = found[0]?.id === NONE ? 0 : NONE;
  return {
    texts,
    sources,
    skipped,
    ids: createIdMap(found.map(({ id }) => id)),
    unknown() {
      if (unknown === NONE) {
        sources.push('');
        unknown = texts.push(UNKNOWN_NAME) - 1;
      }
      return unknown;
    },
  };
}

/** Symbols of a file: each text once, however many frames have it. */
class Symbols {
  readonly #long = new Map<string, string>();
  #longLength = 0;

  of(row: EntityRow<'frame'>): string {
    const symbol = textCell(row.symbol, MAX_SYMBOL_LENGTH);
    if (symbol !== undefined && symbol.length > MAX_NAME_LENGTH) return this.#limited(symbol);
    if (symbol !== undefined) return withoutKernelAddress(symbol);
    const address = countCell(row.address);
    if (address !== undefined) return `0x${address.toString(16)}`;
    // What the kernel's address is tells where the kernel lies: nothing of it is kept.
    return row.file === KERNEL_FILE ? KERNEL_FILE : UNRESOLVED;
  }

  #limited(symbol: string): string {
    const known = this.#long.get(symbol);
    if (known !== undefined) return known;
    if (this.#longLength + symbol.length > MAX_LONG_SYMBOLS) return cleanText(symbol);
    this.#longLength += symbol.length;
    this.#long.set(symbol, symbol);
    return symbol;
  }
}

function buildFrame(row: EntityRow<'frame'>, symbols: Symbols): Frame {
  const file = textCell(row.file);
  const line = countCell(row.line);
  return {
    symbol: symbols.of(row),
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    language: row.language === 'python' ? 'python' : 'native',
  };
}

/** The call stacks of a file, frames leaf first. */
export function readStacks(database: DatabaseSync, schema: FileSchema): Entities<readonly Frame[]> {
  const stacks = collectEntities(
    readEntityRows(database, schema, 'stack'),
    (): { position: number; frame: Frame }[] => [],
  );
  const symbols = new Symbols();
  let skipped = stacks.skipped;
  for (const row of readEntityRows(database, schema, 'frame')) {
    const frames = stacks.values[stacks.ids.positionOf(countCell(row.stack_id) ?? NONE)];
    const position = countCell(row.position);
    if (frames === undefined || position === undefined || frames.length >= MAX_FRAMES_PER_STACK)
      skipped++;
    else frames.push({ position, frame: buildFrame(row, symbols) });
  }
  const values = stacks.values.map((frames) =>
    frames.sort((left, right) => left.position - right.position).map(({ frame }) => frame),
  );
  return { values, ids: stacks.ids, skipped };
}

/** The CUDA streams of a file. */
export function readStreams(database: DatabaseSync, schema: FileSchema): Entities<string> {
  return collectEntities(readEntityRows(database, schema, 'stream'), (row) => textCell(row.name));
}
