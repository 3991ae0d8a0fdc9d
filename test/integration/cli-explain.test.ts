import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../src-main/shared/answers/diagnosis.ts';
import type { AccountingPart, Contender } from '../../src-main/shared/answers/explanation.ts';
import type { WaitChain } from '../../src-main/shared/answers/wait-chain.ts';
import { root } from '../support/built.ts';
import { describeWith, sharedData } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-explain-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sample = join(root, 'resources/sample/dataloader-starvation.trace.db');

function jsonOf(args: readonly string[]): unknown {
  const { code, stdout, stderr } = runCli(['explain', ...args, '--json'], folder);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

interface CallJson {
  readonly call: { name: string; startNs: number; durationNs: number; bytes: number };
  readonly accounting: readonly AccountingPart[];
  readonly contenders: readonly Contender[];
  readonly contention: { readonly othersRanNs: number };
  readonly waitChain: WaitChain;
  readonly faults: object;
  readonly fixes: readonly { readonly id: string }[];
  readonly cannotTell: readonly object[];
}

const sum = (parts: readonly { readonly ns: number }[]) =>
  parts.reduce((total, { ns }) => total + ns, 0);

describe('stalltrace explain', () => {
  test('gives the verdict, findings, chains and steps of the sample', () => {
    const said = jsonOf([sample]) as Diagnosis & { steps: readonly { count: number }[] };
    expect(said.verdict).toBe('input-bound');
    expect(said.findings[0]?.id).toBe('workers-to-cores');
    expect(said.chains.map(({ finding }) => finding)).toContain('workers-to-cores');
    expect(said.steps.map(({ count }) => count)).toEqual([32]);
    expect(sum(said.costs) / said.windowNs).toBeCloseTo(1, 6);
  });

  test('accounts for the slowest copy to the ns, with who ran and what it waited for', () => {
    const said = jsonOf([sample, '--slowest', 'cudaMemcpyAsync']) as CallJson;
    const { call, waitChain } = said;
    expect(call).toMatchObject({ name: 'cudaMemcpyAsync', bytes: 24 * 2 ** 20 });
    expect(sum(said.accounting)).toBe(call.durationNs);
    expect(sum(said.contenders)).toBe(said.contention.othersRanNs);
    expect(said.contenders[0]?.name).toMatch(/^DataLoader worker \d$/);
    const [first] = waitChain.segments;
    expect([first?.startNs, waitChain.segments.at(-1)?.endNs]).toEqual([
      call.startNs,
      call.startNs + call.durationNs,
    ]);
    waitChain.segments.slice(1).forEach((segment, at) => {
      expect(segment.startNs).toBe(waitChain.segments[at]?.endNs);
    });
    expect(said.fixes.map(({ id }) => id)).toContain('workers-to-cores');
    expect(said.faults).toHaveProperty('note');
  });

  test('says the same in words', () => {
    const trace = runCli(['explain', sample], folder).stdout;
    expect(trace).toMatch(/^SIMULATED: There was no GPU.*\nWaiting for input takes at least /);
    expect(trace).toContain('HIGH More DataLoader workers than CPUs [workers-to-cores, proven');
    expect(trace).toContain('num_workers=2');
    const call = runCli(['explain', sample, '--slowest', 'cudaMemcpyAsync'], folder).stdout;
    for (const part of ['Where its time went', 'Who ran meanwhile', 'Wait chain'])
      expect(call).toContain(part);
  });

  test('names what is wrong with its command line, and what the trace has', () => {
    for (const args of [
      [],
      ['a', 'b'],
      ['a', '--call', 'x'],
      ['a', '--call', '1', '--slowest', 'b'],
    ]) {
      const { code, stdout, stderr } = runCli(['explain', ...args], folder);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/; see stalltrace explain --help\.\n$/);
    }
    expect(runCli(['explain', '--help'], folder).stdout).toMatch(/^Usage: stalltrace explain/);
    const unknown = runCli(['explain', sample, '--slowest', 'cudaNothing', '--json'], folder);
    expect(unknown.code).toBe(1);
    expect(JSON.parse(unknown.stdout).error.code).toBe('not-found');
    expect(unknown.stderr).toContain('It has ');
    expect(runCli(['explain', sample, '--call', '999999'], folder).code).toBe(1);
  });
});

describeWith(['sharedData'], 'stalltrace explain on the published file', () => {
  const published = join(sharedData, 'ingero/dataloader_starvation.db');

  test('leaves its slowest copy unexplained, but for size and rate', () => {
    const said = jsonOf([published, '--slowest', 'cudaMemcpyAsync']) as CallJson & {
      readonly rate: { readonly bytesPerNs: number; readonly basis: string };
      readonly hostMemory: { readonly kind: string; readonly basis: string };
    };
    expect(said.call.durationNs).toBe(65_000_369);
    expect(said.accounting.map(({ kind, ns }) => [kind, ns])).toEqual([
      ['unexplained', 65_000_369],
    ]);
    expect(said.rate.bytesPerNs).toBeCloseTo(6.453, 3);
    expect(said.hostMemory).toMatchObject({ kind: 'pageable', basis: 'inferred' });
    expect(said.contenders).toEqual([]);
    expect(said.fixes).toEqual([]);
    expect(said.cannotTell.length).toBeGreaterThan(3);
  });

  test('finds nothing that its rows do not show', () => {
    const said = jsonOf([published]) as Diagnosis;
    expect(said.verdict).toBe('unknown');
    expect(said.findings).toEqual([]);
    expect(said.cannotTell.length).toBeGreaterThan(2);
  });
});
