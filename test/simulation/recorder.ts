import {
  codeOf,
  cudaLayers,
  directions,
  hostMemoryKinds,
} from '../../src-main/shared/model/codes.ts';
import type { TableName } from '../../src-main/shared/model/schema.ts';
import type { EventRow } from './event-rows.ts';
import type { SchedulerListener } from './scheduler.ts';
import type { Task } from './task.ts';
import { Texts } from './texts.ts';

/** A CUDA call from entry on; a row once it returned. */
export interface OpenCall {
  readonly startNs: number;
  readonly offCpuNs: number;
  readonly runQueueNs: number;
  readonly parent: OpenCall | undefined;
  readonly name: string;
  readonly layer: 'runtime' | 'driver';
}

export interface CallFacts {
  readonly bytes?: number;
  readonly direction?: (typeof directions)[number];
  readonly hostMemory?: (typeof hostMemoryKinds)[number];
  readonly stack?: number;
  readonly minorFaults?: number;
}

/** Collects what a perfect recorder would have seen. */
export class Recorder implements SchedulerListener {
  readonly texts = new Texts();
  readonly rows: Partial<Record<TableName, EventRow[]>> = {};
  /** In the order of return; `parent` becomes a row once all are sorted. */
  readonly calls: { readonly call: OpenCall; readonly row: EventRow }[] = [];
  readonly endNs = new Map<number, number>();
  readonly #open = new Map<Task, OpenCall[]>();

  add(table: TableName, row: EventRow): void {
    let rows = this.rows[table];
    if (rows === undefined) {
      rows = [];
      this.rows[table] = rows;
    }
    rows.push(row);
  }

  ran(task: Task, cpu: number, startNs: number, endNs: number): void {
    if (endNs > startNs)
      this.add('on_cpu', { startNs, durationNs: endNs - startNs, thread: task.thread, cpu });
  }

  wasOff(task: Task, endNs: number, cpuIn: number, previousThread: number): void {
    const durationNs = endNs - task.offSinceNs;
    const { state, syscall, syscallArg0, file } = task.reason;
    if (durationNs <= 0) return;
    this.add('off_cpu', {
      startNs: task.offSinceNs,
      durationNs,
      thread: task.thread,
      state,
      runQueueNs: Math.max(0, endNs - task.runnableSinceNs),
      waker: task.waker,
      wakerContext: task.wakerContext,
      nextThread: task.nextThread,
      previousThread,
      syscall,
      syscallArg0,
      file,
      cpuOut: task.cpuOut,
      cpuIn,
    });
  }

  exited(task: Task, atNs: number): void {
    this.endNs.set(task.thread, atNs);
    this.add('process_event', {
      startNs: atNs,
      thread: task.thread,
      op: this.texts.name('HOST', 'process_exit'),
      kind: 3,
    });
  }

  enter(task: Task, atNs: number, name: string, layer: OpenCall['layer']): void {
    const { offCpuNs, runQueueNs } = task;
    const open = this.#open.get(task) ?? [];
    open.push({ startNs: atNs, offCpuNs, runQueueNs, parent: open.at(-1), name, layer });
    this.#open.set(task, open);
  }

  leave(task: Task, atNs: number, facts: CallFacts = {}): void {
    const call = this.#open.get(task)?.pop();
    if (call === undefined) throw new Error('a call returned that was not entered');
    const source = call.layer === 'runtime' ? 'CUDA' : 'DRIVER';
    const row = {
      startNs: call.startNs,
      durationNs: atNs - call.startNs,
      thread: task.thread,
      op: this.texts.name(source, call.name),
      layer: codeOf(cudaLayers, call.layer),
      bytes: facts.bytes ?? -1,
      direction: codeOf(directions, facts.direction ?? 'none'),
      hostMemory: codeOf(hostMemoryKinds, facts.hostMemory ?? 'unknown'),
      stream: 0,
      returnCode: 0,
      stack: facts.stack ?? -1,
      offCpuNs: task.offCpuNs - call.offCpuNs,
      runQueueNs: task.runQueueNs - call.runQueueNs,
      minorFaults: facts.minorFaults ?? 0,
      majorFaults: 0,
    };
    this.calls.push({ call, row });
  }
}
