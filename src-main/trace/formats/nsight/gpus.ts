import { NONE } from '../../../shared/model/schema.ts';
import type { Gpu } from '../../../shared/model/trace.ts';
import { cleanText } from '../../../shared/text/text.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { type ExportTables, integerOr, textOf, within } from './export-tables.ts';

/** No host has more. */
const MAX_DEVICES = 1024;
const MODEL_LENGTH = 200;

interface Place {
  readonly gpu: number;
  readonly context: number;
  readonly stream: number;
}

const NOWHERE: Place = { gpu: NONE, context: NONE, stream: NONE };

/** GPUs, and the contexts and streams of each process on them, in the order in which rows name them. */
export class GpuPlaces {
  readonly #trace: TraceBuilder;
  readonly #described = new Map<number, Gpu>();
  readonly #gpus = new Map<number, number>();
  readonly #driver: Pick<Gpu, 'driver'>;
  /** Of the row before: most are of the same stream. */
  #last = { process: NaN, device: NaN, context: NaN, stream: NaN, place: NOWHERE };

  /** One driver serves all GPUs of a machine. */
  constructor(tables: ExportTables, trace: TraceBuilder, driver: string | undefined) {
    this.#trace = trace;
    this.#driver = driver === undefined ? {} : { driver };
    const text = (column: string) => textOf(column, MODEL_LENGTH);
    const columns = ['cuDevice', 'id', text('name'), text('uuid'), text('busLocation')];
    for (const [cuda, id, name, uuid, bus, memory] of tables.rows('TARGET_INFO_GPU', [
      ...columns,
      'totalMemory',
    ])) {
      const device = integerOr(cuda, integerOr(id, undefined));
      if (device === undefined || typeof name !== 'string') continue;
      const memoryBytes = within(memory, Number.MAX_SAFE_INTEGER, 0);
      this.#described.set(device, {
        model: cleanText(name, MODEL_LENGTH),
        ...(typeof uuid === 'string' && uuid !== '' && { uuid: cleanText(uuid, MODEL_LENGTH) }),
        ...(typeof bus === 'string' && bus !== '' && { pciBusId: cleanText(bus, MODEL_LENGTH) }),
        ...(memoryBytes > 0 && { memoryBytes }),
      });
    }
  }

  /** Those that nothing ran on belong to the trace too. */
  addIdle(): void {
    for (const device of this.#described.keys()) this.#gpu(device);
  }

  place(process: number, device: number, context: number, stream: number): Place {
    const last = this.#last;
    const isSame =
      process === last.process &&
      device === last.device &&
      context === last.context &&
      stream === last.stream;
    if (isSame) return last.place;
    const place = this.#place(process, device, context, stream);
    this.#last = { process, device, context, stream, place };
    return place;
  }

  #place(process: number, device: number, context: number, stream: number): Place {
    const gpu = this.#gpu(within(device, MAX_DEVICES - 1, NONE));
    if (gpu === NONE) return NOWHERE;
    const { contexts, streams } = this.#trace;
    const owner = (process + 1) * MAX_DEVICES + gpu;
    const number = within(context, Number.MAX_SAFE_INTEGER, 0);
    const placedContext = contexts.ofOwner(owner, number, () => ({ process, gpu }));
    const streamNumber = within(stream, Number.MAX_SAFE_INTEGER, NONE);
    if (streamNumber === NONE) return { gpu, context: placedContext, stream: NONE };
    const placed = streams.ofOwner(placedContext, streamNumber, (id) => ({
      name: id === 0 ? 'default stream' : `stream ${id}`,
      context: placedContext,
    }));
    return { gpu, context: placedContext, stream: placed };
  }

  #gpu(device: number): number {
    if (device < 0 || device >= MAX_DEVICES) return NONE;
    const known = this.#gpus.get(device);
    if (known !== undefined) return known;
    const described = this.#described.get(device) ?? { model: `GPU ${device}` };
    const gpu = this.#trace.gpus.add({ ...described, ...this.#driver });
    this.#gpus.set(device, gpu);
    return gpu;
  }
}
