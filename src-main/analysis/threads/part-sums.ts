import type { Basis } from '../../shared/answers/basis.ts';
import type { AccountingPart, PartDetail } from '../../shared/answers/explanation.ts';
import { noEvents } from '../../shared/model/event-ref.ts';
import type { TableName } from '../../shared/model/schema.ts';
import { EventList } from './event-list.ts';

/** What part a stretch of time belongs to, and how that is known. */
export interface PartKind {
  readonly kind: AccountingPart['kind'];
  readonly detail?: PartDetail;
  readonly reason: string;
  readonly basis: Basis;
  readonly isBound?: boolean;
}

interface PartSum {
  isBound: boolean;
  readonly part: PartKind;
  ns: number;
  events: EventList | undefined;
  longestNs: number;
  longestReason: string;
}

/** Parts of a stretch of time being added up: one for each kind and detail. */
export class PartSums {
  private readonly sums: PartSum[] = [];

  /** Adds `ns`, shown by `row` of `table`. The part takes its words from the longest single time. */
  add(part: PartKind, ns: number, table?: TableName, row = -1): void {
    if (!(ns > 0)) return;
    const sum = this.sumOf(part);
    sum.ns += ns;
    sum.isBound ||= part.isBound === true;
    if (ns > sum.longestNs) [sum.longestNs, sum.longestReason] = [ns, part.reason];
    if (table === undefined || row < 0) return;
    sum.events ??= new EventList(table);
    sum.events.add(row, ns);
  }

  /** There are a dozen at most. */
  private sumOf(part: PartKind): PartSum {
    for (const sum of this.sums)
      if (sum.part.kind === part.kind && sum.part.detail === part.detail) return sum;
    const sum = { part, isBound: false, ns: 0, events: undefined, longestNs: 0, longestReason: '' };
    this.sums.push(sum);
    return sum;
  }

  /** The ns of one kind so far, of one detail where that is given. */
  nsOf(kind: AccountingPart['kind'], detail?: PartDetail): number {
    let ns = 0;
    for (const { part, ns: added } of this.sums)
      if (part.kind === kind && (detail === undefined || part.detail === detail)) ns += added;
    return ns;
  }

  /** In the order of `kinds`, within a kind most first. */
  parts(): AccountingPart[] {
    const found = this.sums.map(
      ({ part, isBound, ns, events, longestReason }): AccountingPart => ({
        kind: part.kind,
        ...(part.detail !== undefined && { detail: part.detail }),
        ns,
        reason: longestReason,
        basis: part.basis,
        ...(isBound && { isBound }),
        events: events?.refs() ?? noEvents,
      }),
    );
    return found.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || b.ns - a.ns);
  }
}

const kinds: readonly AccountingPart['kind'][] = [
  'runnable',
  'blocked',
  'off-cpu',
  'running',
  'unexplained',
];
