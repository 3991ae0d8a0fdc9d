import type { WaitChain } from '../../../src-main/shared/answers/wait-chain.ts';

/** A chain of `count` segments of 10 ns each, every other one of another thread. */
export function fakeChain(count: number): WaitChain {
  const segments = Array.from({ length: count }, (_, index) => ({
    startNs: index * 10,
    endNs: index * 10 + 10,
    thread: {
      thread: index % 2,
      process: 0,
      pid: 7,
      tid: 7 + (index % 2),
      role: 'main' as const,
      name: 'Training process',
      lineage: '',
      relation: 'self' as const,
    },
    state: 'sleeping' as const,
    reason: 'waited',
    proof: 'proven' as const,
  }));
  const endNs = count * 10;
  return { startNs: 0, endNs, segments, sums: [], ending: 'It ends here.', cannotTell: [] };
}
