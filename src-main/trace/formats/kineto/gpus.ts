import { NONE } from '../../../shared/model/schema.ts';
import type { Gpu } from '../../../shared/model/trace.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';

/** A GPU as the file's `deviceProperties` describe it. */
export interface Device {
  readonly id: number;
  readonly gpu: Gpu;
}

/** No host has more. */
const MAX_DEVICES = 1024;

/** The GPUs, contexts and streams that rows name; contexts and streams in the order in which they were named. */
export class GpuPlaces {
  readonly #contexts: { readonly gpu: number }[] = [];
  readonly #streams: { readonly number: number; readonly context: number }[] = [];
  readonly #contextNumbers = new Map<number, Map<number, number>>();
  readonly #streamNumbers = new Map<number, Map<number, number>>();
  #devices = 0;

  /** The GPU that has this number: those before it are there too, also where the file says nothing of them. */
  gpu(device: number): number {
    if (device < 0 || device >= MAX_DEVICES) return NONE;
    this.#devices = Math.max(this.#devices, device + 1);
    return device;
  }

  /** Where a recorder numbers no contexts, as on HIP, a GPU has one. */
  context(gpu: number, context: number): number {
    if (gpu === NONE) return NONE;
    return numberOf(this.#contextNumbers, gpu, context, () => this.#contexts.push({ gpu }) - 1);
  }

  stream(context: number, number: number): number {
    if (context === NONE || number < 0) return NONE;
    const add = () => this.#streams.push({ number, context }) - 1;
    return numberOf(this.#streamNumbers, context, number, add);
  }

  /** Adds them to `trace`, with `devices` that nothing ran on. */
  addTo(trace: TraceBuilder, devices: readonly Device[], process: number): void {
    const described = new Map(devices.map(({ id, gpu }) => [this.gpu(id), gpu]));
    for (let id = 0; id < this.#devices; id++)
      trace.gpus.add(described.get(id) ?? { model: `GPU ${id}` });
    for (const { gpu } of this.#contexts) trace.contexts.add({ process, gpu });
    for (const { number, context } of this.#streams)
      trace.streams.add({ name: number === 0 ? 'default stream' : `stream ${number}`, context });
  }
}

function numberOf(
  numbers: Map<number, Map<number, number>>,
  owner: number,
  number: number,
  add: () => number,
): number {
  const known = numbers.get(owner) ?? new Map<number, number>();
  if (known.size === 0) numbers.set(owner, known);
  const at = known.get(number) ?? add();
  if (!known.has(number)) known.set(number, at);
  return at;
}
