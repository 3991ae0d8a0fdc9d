import type { DatabaseSync } from 'node:sqlite';
import { NONE } from '../../../shared/model/schema.ts';
import { IdMap } from '../../build/id-map.ts';
import type { StackBuilder } from '../../build/stacks.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { countCell } from './cells.ts';
import type { Dangling } from './column-readers.ts';
import { type ReadColumn, readCells } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';
import { FrameReader, frameColumns, type StackPlaces } from './read-frames.ts';
import { readStackLists } from './read-stack-lists.ts';

/** Gives the call stacks of a file to `builder`, in the layout that its columns show. */
export function readStacks(
  database: DatabaseSync,
  schema: FileSchema,
  builder: StackBuilder,
  dangling: Dangling,
): StackPlaces {
  const isTree = schema.tables.get('stack')?.columns.has('prefix_id') === true;
  return isTree
    ? readStackTree(database, schema, builder, dangling)
    : readStackLists(database, schema, builder);
}

const idColumn: ReadColumn = ['id', 'INTEGER'];
const stackColumns: readonly ReadColumn[] = [
  idColumn,
  ['prefix_id', 'INTEGER'],
  ['frame_id', 'INTEGER'],
];

/** The rows of `stack`: ids, then what they refer to. */
interface StackRows {
  readonly ids: number[];
  /** `stack.id`; -1 = none. */
  readonly prefixes: number[];
  /** Numbers of frames; -1 = not in the file. */
  readonly frames: number[];
  skipped: number;
}

function readStackTree(
  database: DatabaseSync,
  schema: FileSchema,
  builder: StackBuilder,
  dangling: Dangling,
): StackPlaces {
  const frames = readFrames(database, schema, builder);
  const read: StackRows = { ids: [], prefixes: [], frames: [], skipped: frames.skipped };
  for (const [, id, prefix = null, frame = null] of readCells(
    database,
    schema,
    'stack',
    stackColumns,
  )) {
    const number = frames.numberOf(countCell(frame) ?? NONE);
    if (!addRow(read, countCell(id), prefix, number)) read.skipped++;
    else if (number === NONE && frame !== null) dangling.count++;
  }
  const ids = IdMap.of(read.ids);
  return { ids, rows: placeStacks(builder, read, ids, dangling), skipped: read.skipped };
}

function addRow(read: StackRows, id: number | undefined, prefix: Cell, frame: number): boolean {
  const caller = prefix === null ? NONE : countCell(prefix);
  if (id === undefined || caller === undefined) return false;
  read.ids.push(id);
  read.prefixes.push(caller);
  read.frames.push(frame);
  return true;
}

function readFrames(database: DatabaseSync, schema: FileSchema, builder: StackBuilder) {
  const reader = new FrameReader(builder);
  const given: number[] = [];
  const numbers: number[] = [];
  let skipped = 0;
  for (const cells of readCells(database, schema, 'frame', [idColumn, ...frameColumns])) {
    const id = countCell(cells[1]);
    if (id === undefined) skipped++;
    else {
      given.push(id);
      numbers.push(reader.frameOf(cells, 2));
    }
  }
  const ids = IdMap.of(given);
  return { skipped, numberOf: (id: number) => numbers[ids.positionOf(id)] ?? NONE };
}

const WAITING = -2;
const ON_THE_WAY = -3;

/** Builds the stacks callers first, in whatever order the file has them. */
function placeStacks(
  builder: StackBuilder,
  read: StackRows,
  ids: IdMap,
  dangling: Dangling,
): Int32Array {
  const { prefixes, frames } = read;
  const rows = new Int32Array(prefixes.length).fill(WAITING);
  const callers = Int32Array.from(prefixes, (prefix) => ids.positionOf(prefix));
  const way: number[] = [];
  for (let start = 0; start < rows.length; start++) {
    for (let at = start; at !== NONE && rows[at] === WAITING; at = callers[at] as number) {
      rows[at] = ON_THE_WAY;
      way.push(at);
    }
    for (let at = way.pop(); at !== undefined; at = way.pop()) {
      const [caller, frame] = [callers[at] as number, frames[at] as number];
      const prefix = caller === NONE ? NONE : (rows[caller] as number);
      if (caller === NONE && prefixes[at] !== NONE) dangling.count++;
      // A stack that would be its own caller begins here.
      const outer = prefix === ON_THE_WAY ? NONE : prefix;
      rows[at] = frame === NONE ? outer : builder.stack(outer, frame);
      if (prefix === ON_THE_WAY || (frame !== NONE && rows[at] === outer)) read.skipped++;
    }
  }
  return rows;
}
