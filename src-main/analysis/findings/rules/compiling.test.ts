import { describe, expect, test } from 'vitest';
import { claimCells, totalCost } from '../claim-costs.ts';
import type { FactsPlan } from '../testing/build-facts.ts';
import { buildFacts, MS, SECOND } from '../testing/build-facts.ts';
import { compilerPlan, hostPlan } from '../testing/host-examples.ts';
import { stackNumber } from '../testing/sampled.ts';
import { compiling } from './compiling.ts';

const judged = (plan: FactsPlan) => compiling.judge(buildFacts(plan));

test('what torch.compile compiled is no compiling while it runs', () => {
  const plan = hostPlan('none', { running: 2 * SECOND }, { runningCompiled: 60 }, []);
  const { kind, length } = buildFacts(plan).host.evidence;
  const compiled = buildFacts(hostPlan('none', {}, { compiling: 60 }, [])).host.evidence;
  expect(new Set(kind.subarray(0, length))).not.toContain(compiled.kind[0]);
});

describe('compilers that the job started', () => {
  test('are told with how many, how often and how long, and their fix is the job’s own code', () => {
    const judgement = judged(compilerPlan(25));
    expect(judgement?.title).toBe(
      'The training loop waits for code to be compiled again and again',
    );
    expect(judgement?.sentence).toContain('every 4 steps');
    expect(judgement?.sentence).toContain(
      '2 programs that the job started compiled (gcc, cc1): at 2 different times, for 2.000 s in all',
    );
    expect(judgement?.fix.title).toContain('Compile for a few sizes');
  });

  test('are not told with processes that live on when they have nothing to do', () => {
    const plan = compilerPlan(25);
    const idle = { pid: 400, name: 'python3', parent: 0, role: 'compiler', startNs: 0 } as const;
    const commandLine = 'python3 /venv/torch/_inductor/compile_worker/__main__.py --workers=2';
    const more = [
      { ...idle, endNs: 9 * SECOND, commandLine },
      { ...idle, pid: 401, name: 'ptxas' },
    ];
    const processes = [...(plan.trace?.processes ?? []), ...more];
    expect(judged({ ...plan, trace: { ...plan.trace, processes } })?.sentence).toContain(
      '2 programs that the job started compiled (gcc, cc1): at 2 different times, for 2.000 s in all',
    );
  });

  test('for an extension of PyTorch have the fix of one', () => {
    expect(judged(compilerPlan(25, 'building'))?.fix.after).toContain('TORCH_EXTENSIONS_DIR');
  });

  test('are waited for in subprocess, which is then no other program', () => {
    const plan = compilerPlan(25, 'buildingOwn');
    const facts = buildFacts(plan);
    const kinds = new Set(facts.host.evidence.kind.subarray(0, facts.host.evidence.length));
    expect(kinds.size).toBe(1);
    expect(compiling.judge(facts)?.title).toMatch(/again and again in answer \(train\.py:72\)$/);
  });
});

test('what is compiled in one step of many, not at the start, is not told to come again', () => {
  const plan = hostPlan('compiling', { running: 0.8 * SECOND }, { compiling: 20 }, []);
  const later = (startNs: (at: number) => number) => {
    const { rows } = plan.trace ?? {};
    const cpu_sample = rows?.cpu_sample?.map((row, at) => ({ ...row, startNs: startNs(at) })) ?? [];
    return judged({ ...plan, trace: { ...plan.trace, rows: { ...rows, cpu_sample } } })?.title;
  };
  expect(later((at) => 5 * SECOND + at * 4 * MS)).toMatch(/be compiled in answer/);
  expect(later((at) => (1 + at * 4) * 100 * MS)).toMatch(/be compiled again and again in answer/);
});

describe('what is compiled once', () => {
  const once = hostPlan('compiling', { running: 0.8 * SECOND }, { compiling: 40 }, []);

  test('at the start costs nothing later: it is told, and has no cost', () => {
    const judgement = judged(once);
    expect(judgement?.title).toContain('waits at its start for code to be compiled');
    expect(judgement?.sentence).toContain('That was in the first 760.0 ms, and hardly ever later.');
    expect(judgement?.sentence).not.toContain('every');
    expect(judgement?.fix.after).toContain('TORCHINDUCTOR_CACHE_DIR');
    if (judgement === undefined) throw new Error('it did not fire');
    const facts = buildFacts(once);
    const [claim] = claimCells([{ id: 'compiling', judgement }], facts.costs);
    expect(totalCost(claim?.cells ?? [])).toBe(0);
  });

  test('is told by steps where there are any, however long the first one takes', () => {
    const long = hostPlan('compiling', { running: 5 * SECOND }, { compiling: 250 }, []);
    const steps = (firstNs: number) =>
      Array.from({ length: 40 }, (_, index) => ({
        ...{ index, split: buildFacts().split },
        startNs: index === 0 ? 0 : firstNs + index * 10 * MS,
        endNs: firstNs + (index + 1) * 10 * MS,
      }));
    const facts = (firstNs: number) => {
      const built = buildFacts(long);
      return { ...built, steps: { ...built.steps, count: 40, steps: steps(firstNs) } };
    };
    const judgement = compiling.judge(facts(6 * SECOND));
    expect(judgement?.sentence).toContain('That was in the first step of 40, and hardly ever');
    expect(judgement?.claims).toBeUndefined();
    expect(compiling.judge(facts(0))?.claims).toBeDefined();
  });

  test('is not told where it is little', () => {
    expect(
      judged(hostPlan('compiling', { running: 90 * MS }, { compiling: 4 }, [])),
    ).toBeUndefined();
  });
});

test('with a later part of it, it comes again', () => {
  const plan = hostPlan('compiling', { running: 0.8 * SECOND }, { compiling: 40 }, []);
  const rows = plan.trace?.rows?.cpu_sample ?? [];
  const late = rows.map((row, at) => (at < 30 ? row : { ...row, startNs: 8 * SECOND + at * MS }));
  const stack = stackNumber('compiling');
  expect(late.every((row) => row.stack === stack)).toBe(true);
  const built = buildFacts({ ...plan, trace: { ...plan.trace, rows: { cpu_sample: late } } });
  const steps = Array.from({ length: 100 }, (_, index) => ({
    ...{ index, split: built.split },
    ...{ startNs: index * 100 * MS, endNs: (index + 1) * 100 * MS },
  }));
  // Seven steps have some of it, without any order.
  expect(compiling.judge({ ...built, steps: { ...built.steps, steps } })?.title).toContain(
    'again and again',
  );
});
