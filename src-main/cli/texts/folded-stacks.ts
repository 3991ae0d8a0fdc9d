import type { FlameFrame, FlameTree } from '../../shared/answers/flame.ts';
import { cleanText } from '../../shared/text/text.ts';

const MAX_NAME = 500;

/** `to_device (train.py)`, `gemm (GPU)`: what ends a name or a line in this format stands for nothing else. */
function frameName({ demangled, symbol, file, language }: FlameFrame): string {
  const where = language === 'gpu' ? 'GPU' : file?.split(/[\\/]/).at(-1);
  const place = where === undefined ? '' : ` (${where})`;
  return cleanText(`${demangled ?? symbol}${place}`, MAX_NAME).replaceAll(';', ':');
}

/**
 * A tree in the folded format of flamegraph.pl: a line for each stack that has weight of its own, its
 * functions from the outermost on, then the weight in whole numbers.
 */
export function foldedStacks({ frames, parent, frame, self }: FlameTree): string[] {
  const names = frames.map(frameName);
  const paths: string[] = [];
  return parent.flatMap((above, node) => {
    const name = names[frame[node] ?? -1] ?? 'unknown';
    // A node stands behind its parent.
    const path = above < 0 ? name : `${paths[above]};${name}`;
    paths.push(path);
    const weight = Math.round(self[node] ?? 0);
    return weight > 0 ? [`${path} ${weight}`] : [];
  });
}
