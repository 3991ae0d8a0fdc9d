import type { TableName } from '../model/schema.ts';
import { plural } from '../text/units.ts';

type Recorded = Readonly<Record<TableName, { readonly rows: number }>>;

/** How many processes are no part of the job, and why the trace has them. */
export function outsideWords(
  count: number,
  { on_cpu: onCpu, block_io: blockIo }: Recorded,
): string {
  const who = `${plural(count, 'process', 'processes')} outside the job`;
  // Without slices on a CPU they may be known by a wake-up, a name or a sum alone.
  if (onCpu.rows === 0) return `${who} ${count === 1 ? 'is' : 'are'} in this trace too.`;
  return `${who} held a CPU${blockIo.rows === 0 ? '' : ' or a disk'} meanwhile.`;
}
