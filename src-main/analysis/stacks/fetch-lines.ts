import { NONE } from '../../shared/model/schema.ts';
import type { Stacks } from '../../shared/model/stacks.ts';

/** What a function does that PyTorch's fetcher called, as its name or file tells; `unknown`: any function of the job’s own. */
export type CalledAs = 'item' | 'collate' | 'unknown';

/**
 * Of each line of the fetcher that calls something, whether that is the dataset: a generator, a decorated `__getitem__` and a
 * collate_fn may all be called anything, but the fetcher calls the collate_fn in its last line. A line that some function’s
 * name tells is known; one before a known collate_fn, or before another line that calls, is for items.
 */
export function fetchLines(
  { frames, frame }: Stacks,
  calls: Iterable<{ readonly fetch: number; readonly as: CalledAs }>,
): (fetch: number) => boolean {
  const byFunction = new Map<number, Map<number, CalledAs>>();
  for (const { fetch, as } of calls) {
    const symbol = frames.symbol[frame[fetch]];
    const lines = byFunction.get(symbol) ?? new Map<number, CalledAs>();
    byFunction.set(symbol, lines);
    const line = frames.line[frame[fetch]];
    const known = lines.get(line) ?? 'unknown';
    lines.set(line, known === 'unknown' ? as : known);
  }
  return (fetch) => {
    const line = frames.line[frame[fetch]];
    const lines = byFunction.get(frames.symbol[frame[fetch]]);
    const as = lines?.get(line) ?? 'unknown';
    if (line === NONE || lines === undefined || as !== 'unknown') return as === 'item';
    const isAfterItem = [...lines].some(([other, known]) => known === 'item' && other < line);
    return !isAfterItem && [...lines].some(([other, known]) => known !== 'item' && other > line);
  };
}
