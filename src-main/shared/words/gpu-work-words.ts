import type { GpuWorkFacts } from '../answers/gpu-work.ts';
import { directions, type gpuWorkKinds } from '../model/codes.ts';
import { formatBytes, formatCount } from '../text/units.ts';

/** What work that is no kernel is called: `Copy H2D`, `Fill`, `CUDA graph`. A kernel has a name of its own. */
export function plainWorkName(
  kind: (typeof gpuWorkKinds)[number],
  direction: number,
): string | undefined {
  if (kind === 'fill') return 'Fill';
  if (kind === 'graph') return 'CUDA graph';
  if (kind !== 'copy') return undefined;
  const way = directions[direction] ?? 'unknown';
  return way === 'none' || way === 'unknown' ? 'Copy' : `Copy ${way}`;
}

/** What the panel, the command line and the Markdown say alike of one piece of GPU work. */
export function gpuWorkWords(facts: GpuWorkFacts): { label: string; value: string }[] {
  const { kind, bytes, direction, sourceMemory, destinationMemory, grid, block, graph, node } =
    facts;
  const all: [label: string, value: string | undefined][] = [
    ['Kind', kind === 'graph' ? 'graph, launched as a whole' : kind],
    ['Size', bytes === undefined ? undefined : formatBytes(bytes)],
    ['Direction', direction],
    ['Memory it read', sourceMemory],
    ['Memory it wrote', destinationMemory],
    ['Grid', grid && `${shapeText(grid)} blocks`],
    ['Block', block && `${shapeText(block)} threads`],
    ['CUDA graph', graph === undefined ? undefined : String(graph)],
    ['Node of the graph', node === undefined ? undefined : String(node)],
  ];
  return all.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
}

/** `kind: copy, size: 96.00 MiB, …`: in one line. */
export function gpuWorkLine(facts: GpuWorkFacts): string {
  return gpuWorkWords(facts)
    .map(({ label, value }) => `${label.toLowerCase().replace('cuda', 'CUDA')}: ${value}`)
    .join(', ');
}

/** `1,024 × 2 × 1`. */
function shapeText(shape: readonly number[]): string {
  return shape.map(formatCount).join(' × ');
}
