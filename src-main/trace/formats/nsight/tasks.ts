import { NONE } from '../../../shared/model/schema.ts';
import { cleanText, MAX_NAME_LENGTH } from '../../../shared/text/text.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, integerOr, processIn, textOf, threadIn } from './export-tables.ts';
import type { ExportStrings } from './strings.ts';

/** An export lists every process of the machine: only those that rows name become processes of the trace. */
export class ExportTasks {
  readonly #trace: TraceBuilder;
  readonly #names = new Map<number, string>();
  readonly #threadNames = new Map<number, Map<number, string>>();
  readonly #processes = new Map<number, number>();
  readonly #threads = new Map<number, number>();
  /** Of the row before: most have the same thread. */
  #last = { pid: NaN, tid: NaN, thread: NONE };
  #lastProcess = { pid: NaN, process: NONE };

  constructor(tables: ExportTables, strings: ExportStrings, trace: TraceBuilder) {
    this.#trace = trace;
    const columns = [processIn('globalPid'), 'pid', textOf('name', MAX_NAME_LENGTH + 1)];
    for (const [global, pid, name] of tables.rows('PROCESSES', columns)) {
      const number = integerOr(global, integerOr(pid, undefined));
      if (number !== undefined && typeof name === 'string') this.#names.set(number, lastPart(name));
    }
    const named = ['nameId', processIn('globalTid'), threadIn('globalTid')];
    for (const [nameId, pid, tid] of tables.rows('ThreadNames', named)) {
      const name = strings.find(nameId);
      const [process, thread] = [integerOr(pid, NONE), integerOr(tid, NONE)];
      if (name === undefined || process < 0 || thread < 0) continue;
      const threads = this.#threadNames.get(process) ?? new Map<number, string>();
      this.#threadNames.set(process, threads.set(thread, name));
    }
  }

  /** Index into processes; -1 where the cell names none. */
  process(cell: Cell | undefined): number {
    if (cell === this.#lastProcess.pid) return this.#lastProcess.process;
    const pid = integerOr(cell, NONE);
    if (pid <= 0) return NONE;
    const process = this.#process(pid);
    this.#lastProcess = { pid, process };
    return process;
  }

  #process(pid: number): number {
    const known = this.#processes.get(pid);
    if (known !== undefined) return known;
    const name = this.#names.get(pid) ?? this.#threadNames.get(pid)?.get(pid) ?? '';
    const process = this.#trace.processes.add({
      ...{ pid, name, parent: NONE, role: 'other' as const, roleBasis: '' },
    });
    this.#processes.set(pid, process);
    return process;
  }

  /** Index into threads. */
  thread(pid: Cell | undefined, tid: Cell | undefined): number {
    const last = this.#last;
    if (pid === last.pid && tid === last.tid) return last.thread;
    const thread = this.#thread(pid, tid);
    if (typeof pid === 'number' && typeof tid === 'number') this.#last = { pid, tid, thread };
    return thread;
  }

  #thread(pid: Cell | undefined, tid: Cell | undefined): number {
    const process = this.process(pid);
    const number = integerOr(tid, NONE);
    if (process === NONE || number <= 0) return NONE;
    // Both have 24 bits.
    const key = process * 2 ** 24 + number;
    const known = this.#threads.get(key);
    if (known !== undefined) return known;
    const name = this.#threadNames.get(integerOr(pid, NONE))?.get(number) ?? '';
    const thread = this.#trace.threads.add({
      ...{ tid: number, process, name: cleanText(name, MAX_NAME_LENGTH), role: 'other' as const },
    });
    this.#threads.set(key, thread);
    return thread;
  }
}

/** A name may be the path of the program. */
function lastPart(name: string): string {
  return cleanText(name.replace(/^.*\//, ''), MAX_NAME_LENGTH);
}
