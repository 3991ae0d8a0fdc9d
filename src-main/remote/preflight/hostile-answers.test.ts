import { Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { ok } from '../../shared/rpc/result.ts';
import type { AgentChannel, HostSession } from '../shell/host-session.ts';
import { askAgent } from './agent-json.ts';
import { checkReport } from './check-report.ts';
import { listProcesses, processList, treesOf } from './list-processes.ts';

const signal = new AbortController().signal;

/** An agent that prints `text` and ends. */
function saying(text: string): Pick<HostSession, 'openAgent' | 'privilege'> {
  const channel = (): AgentChannel => ({
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: Readable.from([Buffer.from(text)]),
    stderr: Readable.from([]),
    exit: new Promise((resolve) => setTimeout(() => resolve({ code: 0 }), 20)),
    close() {},
    stderrTail: () => '',
  });
  return { privilege: 'root', openAgent: async () => ok(channel()) };
}

const check = { id: 'btf', label: 'BTF', status: 'ok', detail: 'Here.', next: null };
const summary = { mode: 'full', captured: ['switches'], missing: [] };
const ask = (text: string) =>
  askAgent(saying(text), ['check'], checkReport, { asRoot: true, signal });

describe('what a hostile agent says', () => {
  test.each([
    ['nothing', '{}'],
    ['another status', JSON.stringify({ checks: [{ ...check, status: 'fine' }], summary })],
    ['an id with markup', JSON.stringify({ checks: [{ ...check, id: '<b>' }], summary })],
    ['a megabyte', JSON.stringify({ checks: [{ ...check, detail: 'x'.repeat(1e6) }], summary })],
    ['a thousand', JSON.stringify({ checks: Array(1000).fill(check), summary })],
    ['no JSON', '{"checks":'],
    ['too much', `{"checks":[],"x":"${'x'.repeat(9e6)}"}`],
  ])('is refused: %s', async (_name, text) => {
    expect(await ask(text)).toMatchObject({ error: { code: 'agent-failed' } });
  });

  test('is cleaned', async () => {
    const detail = 'a\u202eb\u001b[31m';
    const asked = await ask(`${JSON.stringify({ checks: [{ ...check, detail }], summary })}\n`);
    expect(asked).toMatchObject({ value: { checks: [{ detail: 'a\ufffdb␛[31m' }] } });
  });
});

const listed = {
  pid: 1,
  parent_pid: 0,
  depth: 0,
  name: 'python',
  role: 'main',
  uses_gpu: false,
  maps_cuda: false,
};

describe('a list of processes', () => {
  test('becomes trees, those on a GPU first', () => {
    const list = processList.parse({
      processes: [
        listed,
        { ...listed, pid: 2, depth: 1, role: 'dataloader-worker' },
        { ...listed, pid: 3, depth: 2 },
        { ...listed, pid: 4, depth: 1 },
        { ...listed, pid: 5, maps_cuda: true },
        { ...listed, pid: 6 },
        { ...listed, pid: 7, depth: 1, uses_gpu: true, gpu_memory_bytes: 5, start_unix_ns: 2e6 },
      ],
    });
    const shape = (trees: ReturnType<typeof treesOf>['trees']): unknown[] =>
      trees.map(({ pid, children }) => [pid, ...shape(children)]);
    const { trees } = treesOf(list);
    expect(shape(trees)).toEqual([[6, [7]], [5], [1, [2, [3]], [4]]]);
    expect(trees[0]?.children[0]).toMatchObject({ gpuMemoryBytes: 5, startedAtMs: 2 });
  });

  test('may skip levels, and is cut where it is endless', async () => {
    const skipping = [listed, { ...listed, pid: 2, depth: 60 }, { ...listed, pid: 3, depth: 60 }];
    expect(treesOf(processList.parse({ processes: skipping })).trees[0]?.children).toHaveLength(1);
    const many = Array.from({ length: 20_000 }, (_, index) => ({ ...listed, pid: index + 1 }));
    const long = await listProcesses(saying(JSON.stringify({ processes: many })), signal);
    expect(long.ok && long.value.trees.length).toBe(5000);
  });

  test('that is none is refused', async () => {
    const bad = JSON.stringify({ processes: [{ ...listed, pid: -1 }] });
    const refused = await listProcesses(saying(bad), signal);
    expect(refused).toMatchObject({ error: { code: 'agent-failed' } });
  });
});
