import { describe, expect, it } from 'vitest';
import { phases } from '../../shared/answers/steps.ts';
import { phasesOf } from '../steps/phases.ts';
import {
  loopRank,
  loopTrace,
  MAIN,
  MS,
  queueWait,
  SYNC,
  steps,
} from '../steps/testing/loop-trace.ts';
import { lostCalls, touches } from './lost-calls.ts';

describe('where CUDA calls were lost', () => {
  const rows = {
    cuda_call: steps(30).filter(({ startNs = 0 }) => startNs < 100 * MS || startNs >= 200 * MS),
    off_cpu: Array.from({ length: 29 }, (_, step) => queueWait((step * 10 + 8) * MS, MS)),
  };
  const trace = loopTrace({
    ...rows,
    gap: [{ startNs: 99.5 * MS, durationNs: 100 * MS, lost: 40 }],
  });
  const inputNs = (of: typeof trace) => {
    const found = phasesOf(of, loopRank());
    return found.phases.reduce((sum, code, at) => {
      const ns = Math.min(found.endsNs[at], 200 * MS) - Math.max(found.startsNs[at], 100 * MS);
      return sum + (phases[code] === 'input' ? Math.max(0, ns) : 0);
    }, 0);
  };

  it('tells no step, and the lost ones do not lengthen the mean', () => {
    const { summary } = phasesOf(trace, loopRank());
    expect(summary.count).toBe(19);
    expect(summary.typical?.meanNs).toBeCloseTo(((18 * 10 + 5) * MS) / 19, 3);
    expect(summary.note).toContain('Where CUDA calls were lost, no step is given.');
  });

  it('assumes no input between two waits: steps may lie between them', () => {
    expect(inputNs(trace)).toBe(10 * MS);
    expect(inputNs(loopTrace(rows))).toBeGreaterThan(50 * MS);
  });

  it('keeps the steps where launches alone are missing', () => {
    const gap = [{ startNs: 99.5 * MS, durationNs: 100 * MS, lost: -1, op: 0 }];
    const of = loopTrace({ cuda_call: steps(30), gap });
    const names = [...of.names, 'launch'];
    const nameSources = [...of.nameSources, 'LOST'];
    of.tables.gap.columns.op?.fill(names.length - 1);
    expect(phasesOf({ ...of, names, nameSources }, loopRank()).summary.count).toBe(
      phasesOf(loopTrace({ cuda_call: steps(30) }), loopRank()).summary.count,
    );
  });

  it('finds the steps beside a stretch that was not probed yet, also where calls are called partial for it', () => {
    const provenance = { cuda_call: { kind: 'partial', note: '' } } as const;
    const gap = [{ startNs: 0, durationNs: 16 * MS, lost: -1 }];
    const { summary } = phasesOf(
      loopTrace({ cuda_call: steps(30), gap }, { provenance }),
      loopRank(),
    );
    expect(summary).toMatchObject({ basis: 'signature', count: 28 });
    const summed = { op: SYNC, thread: MAIN, durationNs: 1e9, count: 900, stored: 30 };
    const partly = loopTrace({ cuda_call: steps(30), gap, aggregate: [summed] }, { provenance });
    expect(phasesOf(partly, loopRank()).summary.basis).toBe('none');
  });

  it('joins gaps, but not those of other tables', () => {
    const gap = [0, 5, 20].map((startNs) => ({ startNs, durationNs: 10, lost: 1 }));
    const lost = lostCalls(loopTrace({ gap }), 0);
    expect([...lost.startsNs]).toEqual([0, 20]);
    expect([touches(lost, 15, 20), touches(lost, 15, 21), touches(lost, 30, 40)]).toEqual([
      false,
      true,
      false,
    ]);
    const other = { ...loopTrace({ gap: gap.map((row) => ({ ...row, op: 0 })) }) };
    const named = { ...other, names: ['page_fault'], nameSources: ['LOST'] };
    expect(lostCalls(named, 0).startsNs.length).toBe(0);
  });

  it('knows those of another host as none of this', () => {
    const gap = [0, 5, 20].map((startNs) => ({
      startNs,
      durationNs: 1,
      lost: 1,
      host: startNs % 2,
    }));
    const trace = { ...loopTrace({ gap }), hosts: [{}, {}] };
    expect([...lostCalls(trace, 0).startsNs]).toEqual([0, 20]);
    expect([...lostCalls(trace, 1).startsNs]).toEqual([5]);
  });
});
