import { expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { phasesOf } from '../steps/phases.ts';
import {
  LAUNCH,
  LOADER_STACK,
  loopRank,
  loopTrace,
  MAIN,
  MS,
  steps,
} from '../steps/testing/loop-trace.ts';
import { asleep, calls as syscalls, wakes } from '../testing/loader-trace.ts';

const STEPS = 40;
const STEP_NS = 40 * MS;
const READ_NS = 25 * MS;

/** A loop without workers: each step it makes a batch, for which it reads a file. */
function loop(read: { readonly stack?: number }): Trace {
  const begins = Array.from({ length: STEPS - 1 }, (_, step) => step * STEP_NS);
  const reading = { syscall: syscalls.read, state: 2, ioWait: 1, wakerContext: wakes.irq, ...read };
  return loopTrace({
    cuda_call: steps(STEPS, 0, STEP_NS),
    off_cpu: begins.map((ns) => asleep(MAIN, ns + 10 * MS, ns + 10 * MS + READ_NS, reading)),
    cpu_sample: begins.map((ns) => ({ startNs: ns + 7 * MS, thread: MAIN, stack: LOADER_STACK })),
  });
}

const noteOf = (trace: Trace) => phasesOf(trace, loopRank()).summary.inputNote;
const byBpf = { capabilities: [{ name: 'bpf', available: true, detail: '' }] };

test('a wait without a stack is not known to be for input: the note says what would tell', () => {
  expect(noteOf(loop({}))).toContain('Waits of 975.0 ms in all lie beside samples');
  expect(noteOf(loop({}))).toContain('Record with BPF: it takes the stacks of long waits.');
  expect(noteOf({ ...loop({}), ...byBpf })).toContain('Record with --profile off-cpu-stacks');
});

test('where all stacks were recorded no profile is asked for', () => {
  const { tables, ...trace } = { ...loop({}), ...byBpf };
  const columnProvenance = { stack: { kind: 'exact', note: '' } } as const;
  const exact = {
    ...trace,
    tables: { ...tables, off_cpu: { ...tables.off_cpu, columnProvenance } },
  };
  expect(noteOf(exact)).toContain('lie beside samples');
  expect(noteOf(exact)).not.toContain('Record with');
});

test('a wait with a stack in the loader is input, and nothing is in doubt', () => {
  const { summary, inputKnown } = phasesOf(loop({ stack: LOADER_STACK }), loopRank());
  expect(inputKnown).toBe(true);
  expect(summary.total.input).toBeGreaterThanOrEqual((STEPS - 1) * READ_NS);
  expect(summary.inputNote).not.toContain('Record with');
});

test('launches that were counted, or not seen, are other time', () => {
  const noteWith = (gap: object) => {
    const { tables, ...of } = loop({});
    const { tables: more } = loopTrace({
      aggregate: [{ thread: MAIN, startNs: MS, durationNs: MS, op: LAUNCH, count: 9, stored: 2 }],
      gap: [{ startNs: 2 * MS, durationNs: MS, lost: -1, op: of.names.length }],
    });
    return noteOf({
      ...of,
      tables: { ...tables, aggregate: more.aggregate, gap: more.gap },
      names: [...of.names, 'launch'],
      nameSources: [...of.nameSources, 'LOST'],
      ...gap,
    });
  };
  expect(noteWith({})).toMatch(
    /7 launches were counted only: .* So is the time of launches between/,
  );
  const ofSwitches = { names: [...loop({}).names, 'off_cpu'] };
  expect(noteWith(ofSwitches)).toMatch(
    /7 launches were counted only: their time is in other time\.$/,
  );
});
