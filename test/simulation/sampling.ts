import type { Workload } from './workload.ts';

const SAMPLE_EVERY_NS = 100_000_000;
/** 49 Hz: no multiple of anything that runs at 10, 50 or 100 Hz. */
const CPU_SAMPLE_EVERY_NS = 20_408_163;

/** A burst in which the recorder's buffer for CPU samples was full. */
export const GAP = { startNs: 9_140_000_000, durationNs: 412_000_000 } as const;

const CPUS = 4;

/** Busy ns of `pieces` inside [startNs, endNs). */
function busyNs(pieces: readonly (readonly [number, number])[], startNs: number, endNs: number) {
  let sum = 0;
  for (const [from, to] of pieces)
    sum += Math.max(0, Math.min(to, endNs) - Math.max(from, startNs));
  return sum;
}

/** Takes timer samples of the job's threads that hold a CPU; gives how many the gap swallowed. */
export function sampleCpus(load: Workload, endNs: number, isOurs: (thread: number) => boolean) {
  const lost = { count: 0 };
  const { scheduler, recorder } = load;
  for (let tick = 1; tick * CPU_SAMPLE_EVERY_NS < endNs; tick++)
    scheduler.at(tick * CPU_SAMPLE_EVERY_NS, () => {
      const startNs = scheduler.nowNs;
      const inGap = startNs >= GAP.startNs && startNs < GAP.startNs + GAP.durationNs;
      for (let cpu = 0; cpu < CPUS; cpu++) {
        const task = scheduler.currentOf(cpu);
        const action = task?.action;
        if (task === undefined || action === undefined || !isOurs(task.thread)) continue;
        if (action.do !== 'run' && action.do !== 'spin') continue;
        if (inGap) lost.count++;
        else {
          const { mode, stack } = action;
          recorder.add('cpu_sample', { startNs, thread: task.thread, mode, stack });
        }
      }
    });
  return lost;
}

/** Adds the 10 Hz values of the machine and its GPU, once the simulation is over. */
export function addSamples(load: Workload, endNs: number): void {
  const { recorder, gpuBusy, random } = load;
  const { texts } = recorder;
  const cpu = texts.name('', 'CPU (%)');
  const memory = texts.name('', 'Memory used (MiB)');
  const gpuUse = texts.name('', 'GPU utilisation (%)');
  const gpuMemory = texts.name('', 'GPU memory used (MiB)');
  const slices = (recorder.rows.on_cpu ?? []).map(
    ({ startNs = 0, durationNs = 0 }) => [startNs, startNs + durationNs] as const,
  );
  const share = (ns: number, of: number) => Math.round((1000 * ns) / of) / 10;
  let usedMib = 5_100;
  for (let end = SAMPLE_EVERY_NS; end <= endNs; end += SAMPLE_EVERY_NS) {
    const begin = end - SAMPLE_EVERY_NS;
    const near = slices.filter(([from, to]) => to > begin && from < end);
    const add = (metric: number, value: number, gpu = -1) =>
      recorder.add('sample', { startNs: end, metric, gpu, value });
    add(cpu, share(busyNs(near, begin, end), CPUS * SAMPLE_EVERY_NS));
    usedMib = Math.min(13_900, usedMib + random(-20, 140));
    add(memory, usedMib);
    add(gpuUse, Math.round(share(busyNs(gpuBusy, begin, end), SAMPLE_EVERY_NS)), 0);
    add(gpuMemory, begin < 300_000_000 ? 412 : 7_836, 0);
  }
}

const BUCKET_NS = 1_000_000_000;

/** Page allocations of the workers, counted per second from the CPU time they had. */
export function addPageAllocations(
  load: Workload,
  endNs: number,
  workers: readonly number[],
): void {
  const { recorder, random } = load;
  const source = recorder.texts.name('', 'HOST');
  const op = recorder.texts.name('HOST', 'mm_page_alloc');
  for (const thread of workers) {
    const slices = (recorder.rows.on_cpu ?? [])
      .filter((row) => row.thread === thread)
      .map(({ startNs = 0, durationNs = 0 }) => [startNs, startNs + durationNs] as const);
    for (let startNs = 0; startNs < endNs; startNs += BUCKET_NS) {
      const end = Math.min(endNs, startNs + BUCKET_NS);
      // About 5,500 pages per second on a CPU.
      const count = Math.floor((busyNs(slices, startNs, end) * random(50, 60)) / 1e7);
      if (count === 0) continue;
      const durationNs = end - startNs;
      recorder.add('aggregate', {
        startNs,
        durationNs,
        thread,
        source,
        op,
        count,
        stored: 0,
        bytes: count * 4096,
      });
    }
  }
}
