import { NONE } from '../../shared/model/schema.ts';
import type { ProcessInfo } from '../../shared/model/trace.ts';
import type { TraceBuilder } from '../build/trace-builder.ts';
import type { TextTable } from './text-table.ts';
import { NO_TASK, TEXT_TASK } from './trace-event.ts';

interface Task {
  /** A number of the system, or a text's from TEXT_TASK on. */
  readonly process: number;
  readonly thread: number;
}

/** What is known of a process beside its number and name. */
export type ProcessFacts = Partial<Pick<ProcessInfo, 'rank' | 'worldSize'>>;

/** The processes and threads that a file's events name, and what its metadata calls them. */
export class EventTasks {
  readonly #texts: TextTable;
  readonly #threads: Task[] = [];
  readonly #byProcess = new Map<number, Map<number, number>>();
  readonly #processNames = new Map<number, string>();
  readonly #threadNames = new Map<number, Map<number, string>>();
  #last: Task = { process: NO_TASK, thread: NO_TASK };
  #lastNumber = NONE;

  constructor(texts: TextTable) {
    this.#texts = texts;
  }

  /** The number of a thread, by which rows name it. */
  threadOf(process: number, thread: number): number {
    if (process === this.#last.process && thread === this.#last.thread) return this.#lastNumber;
    let threads = this.#byProcess.get(process);
    if (threads === undefined) {
      threads = new Map();
      this.#byProcess.set(process, threads);
    }
    let number = threads.get(thread);
    if (number === undefined) {
      number = this.#threads.push({ process, thread }) - 1;
      threads.set(thread, number);
    }
    this.#last = { process, thread };
    this.#lastNumber = number;
    return number;
  }

  nameProcess(process: number, name: string): void {
    this.#processNames.set(process, name);
  }

  nameThread(process: number, thread: number, name: string): void {
    const names = this.#threadNames.get(process) ?? new Map<number, string>();
    this.#threadNames.set(process, names.set(thread, name));
  }

  get processes(): number[] {
    return [...this.#byProcess.keys()];
  }

  processOf(thread: number): number {
    return this.#threads[thread]?.process ?? NO_TASK;
  }

  /** Adds all of them to `trace`, threads in the order of their numbers; where each process is. */
  addTo(
    trace: TraceBuilder,
    sameAs: (process: number) => number = (process) => process,
    factsOf: (process: number) => ProcessFacts = () => ({}),
  ): ReadonlyMap<number, number> {
    const places = new Map<number, number>();
    for (const process of this.#byProcess.keys()) {
      const own = sameAs(process);
      if (places.has(own) || own === NO_TASK) continue;
      const pid = systemNumber(own);
      const name = this.#processNames.get(own) ?? this.#textOf(own) ?? 'unknown';
      const info = { pid, name, parent: NONE, role: 'other', roleBasis: '' } as const;
      places.set(own, trace.processes.add({ ...info, ...factsOf(own) }));
    }
    for (const { process, thread } of this.#threads) {
      const named = this.#threadNames.get(process)?.get(thread);
      const place = places.get(sameAs(process)) ?? NONE;
      trace.threads.add({
        tid: systemNumber(thread),
        process: place,
        name: named ?? this.#textOf(thread) ?? trace.processes.values[place]?.name ?? 'unknown',
        role: 'other',
      });
    }
    return new Map(this.processes.map((process) => [process, places.get(sameAs(process)) ?? NONE]));
  }

  #textOf(task: number): string | undefined {
    return task >= TEXT_TASK && task < NO_TASK ? this.#texts.texts[task - TEXT_TASK] : undefined;
  }
}

const MAX_ID = 2 ** 31 - 1;

/** 0 where a task is called by a text, or by no number that a system gives. */
function systemNumber(task: number): number {
  return task >= 0 && task <= MAX_ID ? task : 0;
}
