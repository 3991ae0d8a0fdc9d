import type { CallMemory } from '../../../src-main/shared/answers/explanation.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  plural,
} from '../../../src-main/shared/text/units.ts';

type Counts = Pick<
  CallMemory,
  'minorFaults' | 'majorFaults' | 'pageAllocations' | 'pageAllocationBytes'
>;

/** Whether the trace says anything of memory for this call. */
export function hasMemory(memory: CallMemory): boolean {
  const { minorFaults, majorFaults, pageAllocations, others } = memory;
  return (
    [minorFaults, majorFaults, pageAllocations].some((count) => count !== undefined) ||
    others.length > 0
  );
}

export const addressText = (address: number): string => `0x${address.toString(16)}`;

function allocationText({ pageAllocations = 0, pageAllocationBytes }: Counts): string {
  const bytes = pageAllocationBytes === undefined ? '' : `, ${formatBytes(pageAllocationBytes)}`;
  return `${formatCount(pageAllocations)}${bytes}`;
}

/** The figures of the call's own thread; those the trace does not have are left out. */
export function memoryFacts(
  memory: CallMemory,
): readonly { readonly label: string; readonly value: string }[] {
  const { minorFaults, majorFaults, faultNs, pageAllocations } = memory;
  const facts: { label: string; value: string }[] = [];
  if (minorFaults !== undefined)
    facts.push({ label: 'Minor faults', value: formatCount(minorFaults) });
  if (majorFaults !== undefined)
    facts.push({ label: 'Major faults (needed I/O)', value: formatCount(majorFaults) });
  if (faultNs !== undefined)
    facts.push({ label: 'Time in faults', value: formatDuration(faultNs) });
  if (pageAllocations !== undefined)
    facts.push({ label: 'Page allocations', value: allocationText(memory) });
  return facts;
}

export function memoryFigure({ minorFaults, majorFaults }: Counts): string {
  if (minorFaults === undefined && majorFaults === undefined) return '';
  return plural((minorFaults ?? 0) + (majorFaults ?? 0), 'fault');
}

/** `1,204 faults (3 major) · 300 page allocations, 1.2 MiB`. */
export function othersText(counts: Counts): string {
  const { minorFaults, majorFaults, pageAllocations } = counts;
  const parts: string[] = [];
  if (minorFaults !== undefined || majorFaults !== undefined) {
    const faults = plural((minorFaults ?? 0) + (majorFaults ?? 0), 'fault');
    parts.push(
      (majorFaults ?? 0) > 0 ? `${faults} (${formatCount(majorFaults ?? 0)} major)` : faults,
    );
  }
  if (pageAllocations !== undefined) parts.push(`${allocationText(counts)} page allocations`);
  return parts.join(' · ');
}
