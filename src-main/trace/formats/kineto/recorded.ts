import { codeOf, cudaLayers } from '../../../shared/model/codes.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { MAX_DISTANCE_NS } from '../../event-json/base-time.ts';
import { EventCounts } from '../../event-json/event-counts.ts';
import { readMetadata } from '../../event-json/metadata.ts';
import { SourceNames } from '../../event-json/source-names.ts';
import { EventTasks } from '../../event-json/tasks.ts';
import type { TextTable } from '../../event-json/text-table.ts';
import { NO_TASK, TEXT_TASK, type TraceEvent } from '../../event-json/trace-event.ts';
import { type Becomes, becomesOf } from './categories.ts';
import { COPY, CopiedShapes } from './copied-shapes.ts';
import { GpuPlaces } from './gpus.ts';
import { copyWords, fillWords, WORK } from './memory-words.ts';
import { WorkArgs } from './work-args.ts';

const X = 'X'.charCodeAt(0);
const INSTANT = 'i'.charCodeAt(0);
const METADATA = 'M'.charCodeAt(0);
const RUNTIME = codeOf(cudaLayers, 'runtime');
const DRIVER = codeOf(cudaLayers, 'driver');
const HIP = /^hip/;
/** Kineto calls a thread whose name it does not know `thread 25772 (python)`. */
const THREAD = /^thread \d+ \((.*)\)$/;

const work = [
  'stream',
  'bytes',
  'direction',
  'kind',
  'context',
  'sourceMemory',
  'destinationMemory',
  'correlation',
  'gridX',
  'gridY',
  'gridZ',
  'blockX',
  'blockY',
  'blockZ',
  'graph',
  'node',
] as const;

/** The events of a file as rows, in the order in which they come. */
export class Recorded {
  readonly tasks: EventTasks;
  readonly gpus = new GpuPlaces();
  readonly counts = new EventCounts();
  /** Processes that made calls. */
  readonly callers = new Set<number>();
  skipped = 0;
  /** The earliest start of a row, ns after the base time; Infinity = there is none. */
  firstNs = Infinity;
  readonly calls;
  readonly work;
  readonly ranges;
  readonly shapes = new CopiedShapes();
  readonly #texts: TextTable;
  readonly #args = new WorkArgs();
  /** By number of the text. */
  readonly #becomes: Becomes[] = [];
  readonly #runtimeNames: SourceNames;
  readonly #hipNames: SourceNames;
  readonly #driverNames: SourceNames;
  readonly #workNames: SourceNames;
  readonly #rangeNames: SourceNames;

  constructor(texts: TextTable, trace: TraceBuilder) {
    this.#texts = texts;
    this.tasks = new EventTasks(texts);
    const names = (source: string) => new SourceNames(texts, trace.names, source, '(not known)');
    this.#runtimeNames = names('CUDA');
    this.#hipNames = names('HIP');
    this.#driverNames = names('DRIVER');
    this.#workNames = names('GPU');
    this.#rangeNames = names('');
    this.calls = trace.rows('cuda_call', { optional: ['parent', 'correlation', 'stack'] });
    this.work = trace.rows('gpu_work', { optional: work });
    this.ranges = trace.rows('range', { optional: ['value'] });
  }

  add(event: TraceEvent, bytes: Buffer): void {
    const { phase, category, startNs } = event;
    this.counts.add(phase, category);
    if (phase === METADATA)
      readMetadata(event, bytes, this.#texts, this.tasks, (name) => THREAD.exec(name)?.[1] ?? name);
    if (phase !== X && phase !== INSTANT) return;
    // `Record Window End` of `Traces` is when the profiler had written it all: nothing is recorded until then.
    if (phase === INSTANT && event.process >= TEXT_TASK && event.process < NO_TASK) return;
    const durationNs = phase === X && event.durationNs > 0 ? event.durationNs : 0;
    if (!(Math.abs(startNs) <= MAX_DISTANCE_NS) || durationNs > MAX_DISTANCE_NS) {
      this.skipped++;
      return;
    }
    if (startNs < this.firstNs) this.firstNs = startNs;
    const becomes = phase === X ? this.#becomesOf(category) : 'range';
    switch (becomes) {
      case 'runtime-call':
      case 'driver-call':
        this.#addCall(event, bytes, durationNs, becomes === 'driver-call');
        return;
      case 'kernel':
      case 'copy':
      case 'fill':
        this.#addWork(event, bytes, durationNs, becomes);
        return;
      default:
        this.#addRange(event, bytes, durationNs, becomes);
    }
  }

  #becomesOf(category: number): Becomes {
    if (category < 0) return 'range';
    this.#becomes[category] ??= becomesOf(this.#texts.texts[category] ?? '');
    return this.#becomes[category];
  }

  #addCall(event: TraceEvent, bytes: Buffer, durationNs: number, isDriver: boolean): void {
    const args = this.#args;
    args.read(event, bytes);
    const { columns } = this.calls;
    const row = this.calls.add();
    columns.startNs[row] = event.startNs;
    columns.durationNs[row] = durationNs;
    columns.thread[row] = this.#thread(event);
    columns.op[row] = this.#callName(event.name, isDriver);
    columns.layer[row] = isDriver ? DRIVER : RUNTIME;
    columns.correlation[row] = args.correlation;
    if (event.process !== NO_TASK) this.callers.add(event.process);
  }

  #callName(text: number, isDriver: boolean): number {
    if (isDriver) return this.#driverNames.of(text);
    const isHip = HIP.test(this.#texts.texts[text] ?? '');
    return (isHip ? this.#hipNames : this.#runtimeNames).of(text);
  }

  #addWork(
    event: TraceEvent,
    bytes: Buffer,
    durationNs: number,
    kind: 'kernel' | 'copy' | 'fill',
  ): void {
    const args = this.#args;
    args.read(event, bytes);
    const row = this.work.add();
    const { columns } = this.work;
    // Rows of a GPU say so twice: as their process and thread, which may be texts, and in their arguments.
    const device = args.device >= 0 ? args.device : numberOf(event.process);
    const gpu = this.gpus.gpu(device);
    const context = this.gpus.context(gpu, args.context);
    columns.startNs[row] = event.startNs;
    columns.durationNs[row] = durationNs;
    columns.op[row] = this.#workNames.of(event.name);
    columns.gpu[row] = gpu;
    columns.context[row] = context;
    const stream = args.stream >= 0 ? args.stream : numberOf(event.thread);
    columns.stream[row] = this.gpus.stream(context, stream);
    columns.kind[row] = WORK[kind];
    columns.correlation[row] = args.correlation;
    columns.bytes[row] = args.bytes;
    columns.graph[row] = args.graph;
    columns.node[row] = args.node;
    if (kind === 'kernel') this.#addShape(row);
    else this.#addCopy(row, event.name, kind);
  }

  #addShape(row: number): void {
    const { grid, block } = this.#args;
    const { columns } = this.work;
    [columns.gridX[row], columns.gridY[row], columns.gridZ[row]] = grid;
    [columns.blockX[row], columns.blockY[row], columns.blockZ[row]] = block;
  }

  #addCopy(row: number, name: number, kind: 'copy' | 'fill'): void {
    const text = this.#texts.texts[name] ?? '';
    const words = kind === 'copy' ? copyWords(text) : fillWords(text);
    const { columns } = this.work;
    columns.direction[row] = words.direction;
    columns.sourceMemory[row] = words.source;
    columns.destinationMemory[row] = words.destination;
  }

  #addRange(event: TraceEvent, bytes: Buffer, durationNs: number, becomes: Becomes): void {
    const row = this.ranges.add();
    const { columns } = this.ranges;
    columns.startNs[row] = event.startNs;
    columns.durationNs[row] = durationNs;
    const thread = becomes === 'loose-range' ? NONE : this.#thread(event);
    columns.thread[row] = thread;
    if (this.#texts.texts[event.name] === COPY) this.shapes.add(event, durationNs, thread, bytes);
    columns.op[row] = this.#rangeNames.of(event.name);
    columns.category[row] = this.#rangeNames.of(event.category);
    if (event.phase !== INSTANT) return;
    // `[memory]`: how much was allocated, or freed where it is less than nothing.
    this.#args.read(event, bytes);
    if (this.#args.bytes >= 0) columns.value[row] = this.#args.bytes;
  }

  /** Of `Spans`, `Traces` and the profiler's own -1 there is no thread. */
  #thread({ process, thread }: TraceEvent): number {
    const isOfSystem = process >= 0 && process < TEXT_TASK;
    return isOfSystem ? this.tasks.threadOf(process, thread) : NONE;
  }
}

/** Of `stream 7`, 7; -1 where no number is in it. */
function numberOf(task: number): number {
  return task >= 0 && task < TEXT_TASK ? task : NONE;
}
