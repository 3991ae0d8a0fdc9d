import {
  isDurationKnown,
  type OperationStats,
  type RecordedCopies,
} from '../../../src-main/shared/answers/operations.ts';
import { sizeBucketNames } from '../../../src-main/shared/model/size-bucket.ts';
import { shortenMiddle } from '../../../src-main/shared/text/text.ts';
import { formatCount, formatDuration, formatRate } from '../../../src-main/shared/text/units.ts';
import {
  bytesText,
  countHint,
  countText,
  longestNs,
  totalHint,
  totalText,
} from '../../../src-main/shared/words/count-text.ts';

export interface OperationColumn {
  readonly key: string;
  readonly label: string;
  readonly number: boolean;
  readonly title?: string;
  text(row: OperationStats): string;
  /** What the text leaves out, where it does. */
  hint?(row: OperationStats): string | undefined;
  /** What the column sorts by. */
  value(row: OperationStats): number | string;
}

const duration = (
  label: string,
  key: 'p50Ns' | 'p95Ns' | 'p99Ns' | 'maxNs' | 'totalNs',
): OperationColumn => ({
  key,
  label,
  number: true,
  text: (row) => (isDurationKnown(row, row[key]) ? formatDuration(row[key]) : '–'),
  value: (row) => row[key],
});

/** What tells rows of one operation apart: direction and, where split by it, size. */
function copyText({ direction, sizeBucket }: OperationStats): string {
  const size = sizeBucket === undefined ? undefined : sizeBucketNames[sizeBucket];
  const way = direction === null || direction === 'none' ? undefined : direction;
  return [way, size].filter((part) => part !== undefined).join(' · ');
}

const source: OperationColumn = {
  key: 'source',
  label: 'Source',
  number: false,
  title: 'The recorder’s own name of the layer',
  text: (row) => row.source,
  value: (row) => row.source,
};
const copy: OperationColumn = {
  key: 'copy',
  label: 'Direction, size',
  number: false,
  title: 'Direction of a copy; size of a copy or an allocation',
  text: copyText,
  // Buckets are in the order of their sizes, their names are not.
  value: (row) => `${row.direction ?? ''} ${row.sizeBucket ?? ''}`,
};

/** Longer names of hosts would take the room of the figures. */
const HOST_LENGTH = 14;

function hostColumn(rows: readonly OperationStats[]): OperationColumn {
  const shortName = shortHosts(new Set(rows.map(({ host = '' }) => host)));
  const text = ({ host = '' }: OperationStats) => shortenMiddle(shortName(host), HOST_LENGTH);
  return {
    key: 'host',
    label: 'Host',
    number: false,
    title: 'The machine it happened on',
    text,
    hint: (row) => (text(row) === row.host ? undefined : row.host),
    value: (row) => row.host ?? '',
  };
}

/** `gpu-2.rack7.example` → `gpu-2`, where that tells all of them apart; addresses stay whole. */
function shortHosts(hosts: ReadonlySet<string>): (host: string) => string {
  const first = (host: string) => host.split('.', 1)[0] ?? '';
  const names = new Set([...hosts].map(first));
  const isEnough = names.size === hosts.size && [...names].every((name) => /\p{L}/u.test(name));
  return isEnough ? first : (host) => host;
}

/** `5.000 GB/s · pageable`: of the copies that the GPU recorded. */
const onGpu: OperationColumn = {
  key: 'onGpu',
  label: 'On the GPU',
  number: true,
  title: 'Rate of copies, and their host memory, by the GPU’s own records',
  text: ({ recorded }) => (recorded === undefined ? '' : copiesText(recorded)),
  value: ({ recorded }) => recorded?.bytesPerNs ?? -1,
};

function copiesText({ bytesPerNs, count, pageable, pinned }: RecordedCopies): string {
  const of = (part: number, kind: string) =>
    part === 0 ? [] : [part === count ? kind : `${formatCount(part)} ${kind}`];
  const rate = bytesPerNs > 0 ? [formatRate(bytesPerNs, 1)] : [];
  return [...rate, ...of(pageable, 'pageable'), ...of(pinned, 'pinned')].join(' · ');
}

/** The columns for `rows`: of several hosts, the first says which. */
export function columnsFor(rows: readonly OperationStats[]): readonly OperationColumn[] {
  return [
    ...(rows.some((row) => row.host !== undefined) ? [hostColumn(rows)] : []),
    ...operationColumns,
    ...(rows.some((row) => row.recorded !== undefined) ? [onGpu] : []),
  ];
}

/** The columns of the operations table. */
export const operationColumns: readonly OperationColumn[] = [
  source,
  {
    key: 'name',
    label: 'Operation',
    number: false,
    text: (row) => row.shortName ?? row.name,
    hint: (row) => row.name,
    value: (row) => row.shortName ?? row.name,
  },
  copy,
  {
    key: 'count',
    label: 'Count',
    number: true,
    text: countText,
    hint: countHint,
    value: (row) => row.count,
  },
  duration('p50', 'p50Ns'),
  duration('p95', 'p95Ns'),
  duration('p99', 'p99Ns'),
  {
    ...duration('Max', 'maxNs'),
    text: (row) => (longestNs(row) > 0 ? formatDuration(longestNs(row)) : '–'),
    hint: (row) =>
      longestNs(row) > row.maxNs
        ? `the longest stored took ${formatDuration(row.maxNs)}`
        : undefined,
    value: longestNs,
  },
  {
    ...duration('Total', 'totalNs'),
    text: (row) => totalText(row) || '–',
    hint: totalHint,
  },
  {
    key: 'bytes',
    label: 'Bytes',
    number: true,
    title: 'Total of the known sizes',
    text: bytesText,
    value: (row) => row.bytes,
  },
];

export interface SortOrder {
  readonly key: string;
  readonly descending: boolean;
}

/** The order after a click on a column's head: numbers begin with the largest. */
export function nextOrder(order: SortOrder, column: OperationColumn): SortOrder {
  if (order.key === column.key) return { key: column.key, descending: !order.descending };
  return { key: column.key, descending: column.number };
}

/** Rows in the given order; equal ones by their total, largest first. */
export function sortOperations(
  rows: readonly OperationStats[],
  { key, descending }: SortOrder,
): OperationStats[] {
  const column = columnsFor(rows).find((candidate) => candidate.key === key) ?? source;
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [column.value(a), column.value(b)];
    return left === right ? b.totalNs - a.totalNs : left < right ? -sign : sign;
  });
}
