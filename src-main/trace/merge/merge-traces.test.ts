import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unknownCode } from '../../shared/model/codes.ts';
import { columnsOf } from '../../shared/model/columns-of.ts';
import { hostLabel } from '../../shared/model/hosts.ts';
import { columnSpecs, tableNames } from '../../shared/model/schema.ts';
import { framesOf } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceArbitrary } from '../testing/trace-arbitrary.ts';
import type { MergeInput } from './merge-input.ts';
import { mergeTraces } from './merge-traces.ts';

function merged(...inputs: readonly MergeInput[]): Trace {
  const result = mergeTraces(inputs);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const asItStands = (trace: Trace): MergeInput => ({ trace, offsetNs: 0, uncertaintyNs: 0 });

/** Every row with all that it names spelt out, so that traces compare whatever their numbers are. */
function tellRows(trace: Trace): string[] {
  const { gpus, processes, threads, contexts, streams, names, nameSources, stacks } = trace;
  const hostOf = (at: number) => hostLabel(trace, at);
  const listed = new Map(trace.cpus.map((cpu) => [cpu.id, cpu]));
  const gpu = (at: number) => {
    const { host = 0, ...own } = gpus[at];
    return { ...own, host: hostOf(host) };
  };
  const process = (at: number) => {
    const { parent, job, host, startNs, endNs, ...own } = processes[at];
    const jobName = job === undefined ? '' : trace.jobs[job].name;
    return { ...own, ...moments({ startNs, endNs }), host: hostOf(host ?? 0), jobName };
  };
  const moments = (life: { startNs: number | undefined; endNs: number | undefined }) =>
    Object.fromEntries(Object.entries(life).map(([key, ns]) => [key, unixNs(trace, ns)]));
  const context = (at: number) => ({
    process: contexts[at].process < 0 ? null : process(contexts[at].process),
    gpu: contexts[at].gpu < 0 ? null : gpu(contexts[at].gpu),
  });
  const told = {
    host: (at: number) => hostOf(at),
    cpu: (id: number) => {
      const { id: _, host = 0, ...cpu } = listed.get(id) ?? { id, number: id };
      return { ...cpu, host: hostOf(host) };
    },
    process,
    thread: (at: number) => {
      const { startNs, endNs, ...own } = threads[at];
      return { ...own, ...moments({ startNs, endNs }), process: process(own.process) };
    },
    gpu,
    context,
    stream: (at: number) => ({
      name: streams[at].name,
      context: streams[at].context < 0 ? null : context(streams[at].context),
    }),
    stack: (at: number) => framesOf(stacks, at),
    name: (at: number) => `${nameSources[at]}: ${names[at]}`,
  };
  const tellRow = (table: (typeof tableNames)[number], row: number): unknown =>
    columnSpecs(table).flatMap(([name, { refersTo, isMoment, none, unit }]) => {
      const cell = columnsOf(trace, table)[name]?.[row] ?? none ?? unknownCode(unit);
      // A merged trace says it of more rows; that it says it right has a test of its own.
      if (cell === none || refersTo === 'host') return [];
      if (isMoment === true) return [[name, unixNs(trace, cell)]];
      if (refersTo === undefined) return [[name, cell]];
      if (refersTo === 'cuda_call' || refersTo === 'range')
        return [[name, tellRow(refersTo, cell)]];
      return [[name, told[refersTo](cell)]];
    });
  return tableNames.flatMap((table) =>
    Array.from({ length: trace.tables[table].rows }, (_, row) =>
      JSON.stringify([table, tellRow(table, row)]),
    ),
  );
}

const unixNs = ({ meta }: Trace, ns: number | undefined) =>
  ns === undefined ? undefined : String(meta.beginUnixNs + BigInt(ns));

const pair = fc
  .tuple(traceArbitrary, traceArbitrary, fc.integer({ min: -(2 ** 40), max: 2 ** 40 }))
  .map(([first, second, apartNs]) => {
    const named = (trace: Trace, name: string): Trace => ({
      ...trace,
      hosts: trace.hosts.map((host, at) => ({ ...host, hostname: `${name}${at}` })),
    });
    const beginUnixNs = first.meta.beginUnixNs + 2n ** 41n;
    const a = named({ ...first, meta: { ...first.meta, beginUnixNs } }, 'a');
    const b = named(
      { ...second, meta: { ...second.meta, beginUnixNs: beginUnixNs + BigInt(apartNs) } },
      'b',
    );
    return [a, b] as const;
  });

describe('mergeTraces', () => {
  test('gives one trace back as it was', () => {
    const unmoved = fc.property(traceArbitrary, (trace) => {
      expect(merged(asItStands(trace))).toEqual(trace);
    });
    fc.assert(unmoved, { numRuns: 12 });
  });

  test('keeps every row of every trace, at its time, with all that it names', () => {
    const kept = fc.property(pair, offset, ([a, b], offsetNs) => {
      const all = merged(asItStands(a), { trace: b, offsetNs });
      const moved = merged({ trace: b, offsetNs, uncertaintyNs: 0 });
      expect(tellRows(all).sort()).toEqual([...tellRows(a), ...tellRows(moved)].sort());
      for (const table of tableNames) expectAscending(all.tables[table].columns.startNs);
      const endsNs = [a, moved].map((one) => one.meta.beginUnixNs + BigInt(one.meta.lengthNs));
      const begin = Math.min(...[a, moved].map((one) => Number(one.meta.beginUnixNs)));
      expect(Number(all.meta.beginUnixNs)).toBe(begin);
      const lastNs = endsNs.reduce((last, end) => (end > last ? end : last));
      expect(all.meta.beginUnixNs + BigInt(all.meta.lengthNs)).toBe(lastNs);
    });
    fc.assert(kept, { numRuns: 12 });
  });

  test('keeps the order in which a host’s rows stood', () => {
    const ofHosts = (rows: string[], name: string) =>
      rows.filter((row) => row.includes(`"host":"${name}`));
    const inOrder = fc.property(pair, ([a, b]) => {
      const all = tellRows(merged(asItStands(a), asItStands(b)));
      expect(ofHosts(all, 'a')).toEqual(ofHosts(tellRows(a), 'a'));
      expect(ofHosts(all, 'b')).toEqual(ofHosts(tellRows(b), 'b'));
    });
    fc.assert(inOrder, { numRuns: 12 });
  });

  test('says the same in any order of the traces', () => {
    const same = fc.property(pair, ([a, b]) => {
      const forth = merged(asItStands(a), asItStands(b));
      const back = merged(asItStands(b), asItStands(a));
      expect(tellRows(forth).sort()).toEqual(tellRows(back).sort());
      expect(forth.meta.beginUnixNs).toBe(back.meta.beginUnixNs);
      expect(forth.meta.lengthNs).toBe(back.meta.lengthNs);
      expect(kindsOf(forth)).toEqual(kindsOf(back));
      expect(forth.notices.map(textOf).sort()).toEqual(back.notices.map(textOf).sort());
    });
    fc.assert(same, { numRuns: 12 });
  });
});

const offset = fc.integer({ min: -(2 ** 40), max: 2 ** 40 });
const textOf = ({ text }: { text: string }) => text;

function expectAscending(starts: Float64Array): void {
  for (let row = 1; row < starts.length; row++)
    expect(starts[row]).toBeGreaterThanOrEqual(starts[row - 1]);
}

const kindsOf = ({ tables }: Trace) =>
  tableNames.map((table) => [
    tables[table].provenance.kind,
    Object.entries(tables[table].columnProvenance)
      .map(([name, { kind }]) => `${name} ${kind}`)
      .sort(),
  ]);
