import type { DatabaseSync } from 'node:sqlite';
import { UNNAMED_HOST } from '../../../shared/model/hosts.ts';
import type { TableName } from '../../../shared/model/schema.ts';
import type { Notice, Trace } from '../../../shared/model/trace.ts';
import { formatCount, plural } from '../../../shared/text/units.ts';
import { NameBuilder } from '../../build/names.ts';
import type { MergeInput } from '../../merge/merge-input.ts';
import { mergeTraces } from '../../merge/merge-traces.ts';
import type { RawAggregate } from './aggregates.ts';
import { countsByTable } from './completeness.ts';
import { type LeftOut, withLeftOut, withReasons } from './lacks.ts';
import { buildMachineTrace, type RecordedEvents, skippedNotices } from './machine-trace.ts';
import { MAX_NODES, type Nodes } from './nodes.ts';
import { type OpNames, readOpNames } from './op-names.ts';
import { readRanks } from './ranks.ts';
import { seenOn } from './seen-on.ts';
import { splitByNode } from './split-nodes.ts';
import { readTaskNames } from './task-names.ts';
import type { Timed } from './time-range.ts';

/** The trace of several machines: each is read as if the file were its own, and then they are merged. */
export function ofSeveralMachines(
  database: DatabaseSync,
  file: RecordedEvents,
  nodes: Nodes,
): Trace {
  const unnamed = nodes.names.length;
  const seen = seenOn(file.timed.events, unnamed);
  const taskNames = readTaskNames(database, nodes, seen);
  const ranksOf = readRanks(database, nodes);
  const { parts, unclear } = splitByNode(file.timed, unnamed + 1, seen);
  const inputs = parts.flatMap((timed, node): MergeInput[] => {
    if (isEmpty(timed)) return [];
    const names = taskNames.of(node);
    const ranks = ranksOf(node);
    const trace = buildMachineTrace(database, {
      ...file,
      timed,
      sessions: file.sessions.filter(({ host }) => host.hostname === nodes.names[node]),
      nameOf: (id) => names.get(id),
      rankOf: (pid) => ranks.get(pid),
      skipped: { rows: 0, sums: file.skipped.sums },
      unclear,
    });
    // Each wrote the times of its own clock: how far they are apart is in no column.
    const isRest = node === unnamed;
    const hostname = nodes.names[node] ?? UNNAMED_HOST;
    return [{ trace, hostname, offsetNs: 0, ...(isRest && { isRest }) }];
  });
  const leftOut = leftOutOf(unclear, readOpNames(database, new NameBuilder()));
  const merged = mergeTraces(withReasons(inputs, leftOut));
  // Times further apart were left out as damaged.
  if (!merged.ok) throw new Error(merged.error.message);
  const notices = [
    ...skippedNotices(file.skipped.rows),
    ...machineNotices(nodes),
    ...unclearNotices(parts[unnamed], unclear.length, taskNames.unclear),
  ];
  const trace = withLeftOut(merged.value, leftOut);
  return { ...trace, notices: [...notices, ...trace.notices] };
}

function leftOutOf(unclear: readonly RawAggregate[], names: OpNames): LeftOut {
  const counts = new Map<TableName, number>(countsByTable(unclear, names));
  if (unclear.length > 0) counts.set('aggregate', unclear.length);
  return counts;
}

function isEmpty({ events, aggregates, snapshots, labels }: Timed): boolean {
  return [events.rows, aggregates.length, snapshots.rows.length, labels.rows.length].every(
    (rows) => rows === 0,
  );
}

function machineNotices({ named, names }: Nodes): Notice[] {
  const rest = `The file names ${formatCount(named)} machines: the ${formatCount(names.length)} with the most events are told apart, all others are shown together as “${UNNAMED_HOST}”.`;
  return named > MAX_NODES ? [{ level: 'warning', text: rest }] : [];
}

/** What the file has without saying of which machine. */
function unclearNotices(unnamed: Timed, sums: number, names: number): Notice[] {
  const { events, aggregates, snapshots, labels } = unnamed;
  const counts = [
    [events.rows, 'event'],
    [aggregates.length, 'sum'],
    [snapshots.rows.length, 'system snapshot'],
    [labels.rows.length, 'label'],
  ] as const;
  const found = counts.flatMap(([count, noun]) => (count > 0 ? [plural(count, noun)] : []));
  const texts = [
    found.length > 0 &&
      `The file does not name the machine of ${found.join(', ')}: shown under “${UNNAMED_HOST}”.`,
    sums > 0 &&
      `${plural(sums, 'sum is', 'sums are')} left out: several machines have a process of that number, and the file does not say which one is meant.`,
    names > 0 &&
      `${plural(names, 'name is', 'names are')} left out: several machines have a process of that number, and the file does not say which one is meant.`,
  ];
  return texts.flatMap((text) => (text === false ? [] : [{ level: 'info', text }]));
}
