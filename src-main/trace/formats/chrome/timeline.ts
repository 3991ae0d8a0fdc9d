import { NONE } from '../../../shared/model/schema.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { readArguments } from '../../event-json/args-reader.ts';
import { MAX_DISTANCE_NS } from '../../event-json/base-time.ts';
import { EventCounts } from '../../event-json/event-counts.ts';
import { numberAt } from '../../event-json/json-bytes.ts';
import { readMetadata } from '../../event-json/metadata.ts';
import { SourceNames } from '../../event-json/source-names.ts';
import { EventTasks } from '../../event-json/tasks.ts';
import type { TextTable } from '../../event-json/text-table.ts';
import { NO_TASK, type TraceEvent, textAt } from '../../event-json/trace-event.ts';

/** The events of a file as rows, in the order in which they come. */
export class Timeline {
  readonly tasks: EventTasks;
  readonly counts = new EventCounts();
  readonly ranges;
  readonly samples;
  skipped = 0;
  /** Ranges that begin and do not end. */
  open = 0;
  /** The earliest start of a row, ns after the base time; 0 = there is none. */
  firstNs = Infinity;
  readonly #texts: TextTable;
  readonly #trace: TraceBuilder;
  readonly #names: SourceNames;
  readonly #categories: SourceNames;
  #lastNs = -Infinity;
  /** By thread, the rows that began and have not ended, the innermost last. */
  readonly #begun = new Map<number, number[]>();
  /** The same of ranges that are told by an id. */
  readonly #asynchronous = new Map<string, number[]>();

  constructor(texts: TextTable, trace: TraceBuilder) {
    this.#texts = texts;
    this.#trace = trace;
    this.tasks = new EventTasks(texts);
    this.#names = new SourceNames(texts, trace.names, '', '(no name)');
    this.#categories = new SourceNames(texts, trace.names, '', '(no category)');
    this.ranges = trace.rows('range', { optional: ['endThread'] });
    this.samples = trace.rows('sample');
  }

  /** `ph` as the Trace Event Format has it; arrows, objects and memory dumps are no ranges and are left out. */
  add(event: TraceEvent, bytes: Buffer): void {
    this.counts.add(event.phase, event.category);
    const phase = String.fromCharCode(event.phase);
    if (phase === 'M') readMetadata(event, bytes, this.#texts, this.tasks);
    if (!'XBEbenSTFiIRC'.includes(phase)) return;
    if (!(Math.abs(event.startNs) <= MAX_DISTANCE_NS) || event.durationNs > MAX_DISTANCE_NS) {
      this.skipped++;
      return;
    }
    switch (phase) {
      case 'X':
        this.#addRange(event, Math.max(0, event.durationNs || 0));
        return;
      case 'B':
        pushTo(this.#begun, this.#thread(event), this.#addRange(event, 0));
        return;
      case 'E':
        this.#end(this.#begun.get(this.#thread(event))?.pop(), event);
        return;
      case 'b':
      case 'S':
        pushTo(this.#asynchronous, this.#idOf(event, bytes), this.#addRange(event, 0));
        return;
      case 'e':
      case 'F':
        this.#end(this.#asynchronous.get(this.#idOf(event, bytes))?.pop(), event);
        return;
      case 'C':
        this.#addCounters(event, bytes);
        return;
      default:
        this.#addRange(event, 0);
    }
  }

  /** What has no end goes on to the end of the file. */
  finish(): void {
    for (const begun of [...this.#begun.values(), ...this.#asynchronous.values()])
      for (const row of begun) {
        const { startNs, durationNs } = this.ranges.columns;
        durationNs[row] = this.#lastNs - startNs[row];
        this.open++;
      }
    if (this.firstNs === Infinity) this.firstNs = 0;
  }

  #see(startNs: number, endNs: number): void {
    if (startNs < this.firstNs) this.firstNs = startNs;
    if (endNs > this.#lastNs) this.#lastNs = endNs;
  }

  #addRange(event: TraceEvent, durationNs: number): number {
    const row = this.ranges.add();
    const { columns } = this.ranges;
    columns.startNs[row] = event.startNs;
    columns.durationNs[row] = durationNs;
    columns.thread[row] = this.#thread(event);
    columns.op[row] = this.#names.of(event.name);
    columns.category[row] = this.#categories.of(event.category);
    this.#see(event.startNs, event.startNs + durationNs);
    return row;
  }

  /** An end without a begin is of a range that began before the recording: how long before is not known. */
  #end(row: number | undefined, event: TraceEvent): void {
    this.#see(event.startNs, event.startNs);
    if (row === undefined) return;
    const { columns } = this.ranges;
    columns.durationNs[row] = Math.max(0, event.startNs - columns.startNs[row]);
    const thread = this.#thread(event);
    if (thread !== columns.thread[row]) columns.endThread[row] = thread;
  }

  /** Each number among the arguments is a counter of its own. */
  #addCounters(event: TraceEvent, bytes: Buffer): void {
    const name = this.#texts.texts[event.name] ?? 'counter';
    readArguments(bytes, event.argsFrom, event.argsTo, (all, keyFrom, keyTo, from, to) => {
      const value = numberAt(all, from, to);
      if (Number.isNaN(value)) return;
      const series = this.#texts.texts[this.#texts.numberOf(all, keyFrom, keyTo)];
      const row = this.samples.add();
      const { columns } = this.samples;
      columns.startNs[row] = event.startNs;
      columns.metric[row] = this.#trace.names.add(`${name}: ${series}`);
      columns.value[row] = value;
      this.#see(event.startNs, event.startNs);
    });
  }

  #thread({ process, thread }: TraceEvent): number {
    return process === NO_TASK && thread === NO_TASK ? NONE : this.tasks.threadOf(process, thread);
  }

  /** An asynchronous event is told by its category, id and process. */
  #idOf({ category, idFrom, idTo, process }: TraceEvent, bytes: Buffer): string {
    const id = idTo > 0 ? textAt(this.#texts, bytes, idFrom, idTo) : NONE;
    return `${category} ${id} ${process}`;
  }
}

function pushTo<Key>(rows: Map<Key, number[]>, key: Key, row: number): void {
  const known = rows.get(key);
  if (known === undefined) rows.set(key, [row]);
  else known.push(row);
}
