import type { FlameTree } from '../../shared/answers/flame.ts';
import { functionName } from '../../shared/words/flame-difference-rows.ts';

const MAX_NAME = 500;

/** By node, its functions from the outermost on with `;` between them. */
export function pathNames({ frames, parent, frame }: FlameTree): readonly string[] {
  // What ends a name or a line in this format stands for nothing else.
  const names = frames.map((frame) => functionName(frame, MAX_NAME).replaceAll(';', ':'));
  const paths: string[] = [];
  parent.forEach((above, node) => {
    const name = names[frame[node] ?? -1] ?? 'unknown';
    // A node stands behind its parent.
    paths.push(above < 0 ? name : `${paths[above]};${name}`);
  });
  return paths;
}

/**
 * A tree in the folded format of flamegraph.pl: a line for each stack that has weight of its own, its
 * functions from the outermost on, then the weight in whole numbers.
 */
export function foldedStacks(tree: FlameTree): string[] {
  return pathNames(tree).flatMap((path, node) => {
    const weight = Math.round(tree.self[node] ?? 0);
    return weight > 0 ? [`${path} ${weight}`] : [];
  });
}
