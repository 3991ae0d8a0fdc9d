import type { DatabaseSync } from 'node:sqlite';
import { NONE } from '../../../shared/model/schema.ts';
import { IdMap } from '../../build/id-map.ts';
import { MAX_FRAMES_PER_STACK, type StackBuilder } from '../../build/stacks.ts';
import { countCell } from './cells.ts';
import { type ReadColumn, readCells } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';
import { FrameReader, frameColumns, type StackPlaces } from './read-frames.ts';

/** Files of version 0 have the frames of each stack in a list of its own. */
const listColumns: readonly ReadColumn[] = [
  ['stack_id', 'INTEGER'],
  ['position', 'INTEGER'],
  ...frameColumns,
];

/** Frames of a stack as they come: position in the stack (0 = leaf), number of the frame, and so on. */
type PlacedFrames = number[];

function inOrder(placed: PlacedFrames): number[] {
  const frames = placed.filter((_, at) => at % 2 === 1);
  const positions = placed.filter((_, at) => at % 2 === 0);
  if (positions.every((position, at) => at === 0 || position >= (positions[at - 1] as number)))
    return frames;
  return [...positions.keys()]
    .sort((a, b) => (positions[a] as number) - (positions[b] as number))
    .map((at) => frames[at] as number);
}

/** The call stacks of a file of version 0. */
export function readStackLists(
  database: DatabaseSync,
  schema: FileSchema,
  builder: StackBuilder,
): StackPlaces {
  const given: number[] = [];
  let skipped = 0;
  for (const [, cell] of readCells(database, schema, 'stack', [['id', 'INTEGER']])) {
    const id = countCell(cell);
    if (id === undefined) skipped++;
    else given.push(id);
  }
  const ids = IdMap.of(given);
  const stacks = Array.from(given, (): PlacedFrames => []);
  const reader = new FrameReader(builder);
  for (const cells of readCells(database, schema, 'frame', listColumns)) {
    const placed = stacks[ids.positionOf(countCell(cells[1]) ?? NONE)];
    const position = countCell(cells[2]);
    if (placed === undefined || position === undefined || placed.length >= 2 * MAX_FRAMES_PER_STACK)
      skipped++;
    else placed.push(position, reader.frameOf(cells, 3));
  }
  const rows = Int32Array.from(stacks, (placed) => builder.stackOf(inOrder(placed)));
  return { ids, rows, skipped };
}
