import type { Provenance, Trace } from '../../../shared/model/trace.ts';
import { withRoles } from '../../roles/roles.ts';
import { buildTrace, type Row } from '../../testing/build-trace.ts';

/** Traces made at random, to try the accounting of time with: short, dense, often contradicting themselves. */

export type Random = (limit: number) => number;

/** Whole numbers from 0 up to a limit. mulberry32: a seed gives the same run on every machine. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** ns. Rows may lie behind it. */
export const TRACE_NS = 200;
const THREADS = 4;
const STATES = [-1, 0, 0, 1, 1, 2, 2, 0x402, 0x800, 0x100, 4, 0x10, 8193, 258, 0x200];
const NAMES = [
  ['CUDA', 'cudaMemcpyAsync'],
  ['CUDA', 'cudaMemcpy'],
  ['CUDA', 'cudaStreamSynchronize'],
  ['CUDA', 'cudaMalloc'],
  ['', 'pipe:[4]'],
  ['', '/data/img (ext4)'],
  ['BLOCK', 'read'],
] as const;
const PROVENANCES = ['exact', 'exact', 'exact', 'partial', 'sampled'] as const;

function rowsOf<T>(random: Random, most: number, make: () => T & { startNs: number }): T[] {
  const rows = Array.from({ length: random(most + 1) }, make);
  return rows.sort((a, b) => a.startNs - b.startNs);
}

const maybe = (random: Random, limit: number) => random(limit + 1) - 1;

function span(random: Random, longest: number) {
  return { startNs: random(TRACE_NS), durationNs: random(longest + 1) };
}

function offCpuRow(random: Random): Row<'off_cpu'> & { startNs: number } {
  return {
    ...span(random, 40),
    thread: maybe(random, 2),
    state: STATES[random(STATES.length)],
    runQueueNs: maybe(random, 50),
    throttledNs: random(3) === 0 ? maybe(random, 30) : -1,
    cpuOut: maybe(random, 2),
    cpuIn: maybe(random, 2),
    ioWait: random(2),
    syscall: [-1, 0, 202, 7, 230, 61][random(6)],
    file: random(2) === 0 ? -1 : 4 + random(2),
    wakerContext: random(5),
    executedNs: maybe(random, 60),
    minorFaults: maybe(random, 3),
    majorFaults: maybe(random, 2),
  };
}

function callRow(random: Random): Row<'cuda_call'> & { startNs: number } {
  return {
    ...span(random, 80),
    thread: maybe(random, 3),
    op: random(4),
    layer: 1,
    bytes: [-1, 40, 2 ** 20, 400 * 2 ** 20][random(4)],
    direction: random(7),
    hostMemory: random(5),
    returnCode: maybe(random, 2),
    offCpuNs: random(2) === 0 ? maybe(random, 90) : -1,
    runQueueNs: random(2) === 0 ? maybe(random, 90) : -1,
    stolenNs: random(3) === 0 ? maybe(random, 30) : -1,
    minorFaults: maybe(random, 4),
  };
}

/** Thread 0 to 2 of a job and a stranger, 3 the idle task; two CPUs. */
export function randomTrace(random: Random): Trace {
  const life = () => (random(3) === 0 ? { startNs: random(60), endNs: 100 + random(120) } : {});
  const kind = PROVENANCES[random(PROVENANCES.length)];
  const offCpu: Provenance = { kind, note: '' };
  const calls = rowsOf(random, 5, () => callRow(random));
  return withRoles(
    buildTrace({
      names: NAMES,
      processes: [{ pid: 9 }, { pid: 10, parent: 0 }, { pid: 11 }, { pid: 0, name: 'swapper/0' }],
      threads: Array.from({ length: THREADS }, (_, at) => ({
        tid: [9, 10, 11, 0][at],
        process: at,
        ...life(),
      })),
      stacks: [
        [{ symbol: 'asm_exc_page_fault', language: 'native' }],
        [{ symbol: 'memcpy', language: 'native' }],
      ],
      lengthNs: TRACE_NS,
      provenance: { off_cpu: offCpu },
      rows: {
        cuda_call: calls,
        off_cpu: rowsOf(random, 14, () => offCpuRow(random)),
        on_cpu: rowsOf(random, 20, () => ({
          ...span(random, 30),
          ...{ thread: maybe(random, 4), cpu: random(2) },
        })),
        page_fault: rowsOf(random, random(2) * 6, () => ({
          ...span(random, 10),
          ...{ thread: maybe(random, 2), address: random(9) * 4096, major: random(2) },
        })),
        block_io: rowsOf(random, 3, () => ({
          ...span(random, 30),
          thread: maybe(random, 2),
          op: 6,
        })),
        cpu_sample: rowsOf(random, random(2) * 30, () => ({
          ...{ startNs: random(TRACE_NS), thread: maybe(random, 2), stack: maybe(random, 2) },
        })),
        gap: rowsOf(random, random(2) * 2, () => ({ ...span(random, 20), lost: 1 })),
        gpu_work: calls.flatMap((call, at) =>
          random(2) === 0
            ? [
                {
                  ...span(random, 40),
                  gpu: 0,
                  call: at,
                  direction: call.direction ?? 0,
                  bytes: 5e6,
                },
              ]
            : [],
        ),
      },
    }),
  );
}
