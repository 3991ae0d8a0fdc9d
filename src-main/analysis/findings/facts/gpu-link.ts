import type { RankFacts } from './facts.ts';

/** How fast a GPU's PCIe link is, beside how fast it copied. */
export interface GpuLink {
  readonly generation: number;
  readonly lanes: number;
  readonly bytesPerNs: number;
  /** By its own records, of copies above 64 KiB from the host. */
  readonly copiedBytes: number;
  readonly copiedNs: number;
}

/** GB/s of a lane by generation, from 1 on: transfers less their line code, PCI Express Base Specification. */
const LANE = [0.25, 0.5, 0.985, 1.969, 3.938, 7.563];

/**
 * Undefined where samples do not say the link, or records the copies; or where copies were faster than it, so that the
 * GPU has another way to the host. A link that rests is slower: its fastest sample counts.
 */
export function gpuLink({ trace, h2d, window }: RankFacts, gpu: number): GpuLink | undefined {
  const [generation, lanes] = ['PCIe generation', 'PCIe lanes'].map((metric) => {
    const { columns, rows } = trace.tables.sample;
    const name = trace.names.indexOf(metric);
    let most = 0;
    for (let row = 0; row < rows; row++) {
      const isWithin = columns.startNs[row] >= window[0] && columns.startNs[row] <= window[1];
      const isIts = columns.metric[row] === name && columns.gpu?.[row] === gpu;
      if (isIts && isWithin) most = Math.max(most, columns.value[row]);
    }
    return most;
  });
  const bytesPerNs = (LANE[generation - 1] ?? 0) * lanes;
  const copiedBytes = h2d.reduce((sum, { recordedBytes }) => sum + recordedBytes, 0);
  const copiedNs = h2d.reduce((sum, { recordedNs }) => sum + recordedNs, 0);
  if (!(bytesPerNs > 0 && copiedNs > 0) || copiedBytes > bytesPerNs * copiedNs) return undefined;
  return { generation, lanes, bytesPerNs, copiedBytes, copiedNs };
}
