import { Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { ok } from '../../shared/rpc/result.ts';
import type { AgentChannel, HostSession } from '../shell/host-session.ts';
import type { Findings } from './findings.ts';
import { captureRows } from './resource-rows.ts';
import { runningCaptures } from './running-captures.ts';

const { signal } = new AbortController();
const BASE = '/home/ada/.cache/stalltrace-0';

/** A host whose agent prints `answer`. */
function host(answer: object) {
  const channel: AgentChannel = {
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: Readable.from([Buffer.from(`${JSON.stringify(answer)}\n`)]),
    stderr: Readable.from([]),
    exit: new Promise(() => undefined),
    close() {},
    stderrTail: () => '',
  };
  const session: Pick<HostSession, 'openAgent' | 'baseFolder' | 'baseFolders'> = {
    openAgent: async () => ok(channel),
    baseFolder: BASE,
    baseFolders: [BASE],
  };
  return session;
}

async function rowsOf(answer: object, asRoot: boolean) {
  const captures = await runningCaptures(host(answer), { asRoot, signal });
  if (!captures.ok) throw new Error(captures.error.message);
  const findings = {
    look: { places: [] },
    found: { elevation: { kind: asRoot ? 'sudo' : 'none' } },
    asRoot,
    deployed: {
      build: { version: '0.1.0', arch: 'x64', bytes: Buffer.alloc(0) },
      agentPath: `${BASE}/agent/0.1.0/stalltrace-agent`,
      baseFolder: BASE,
    },
    report: { checks: [] },
    captures: captures.value,
  } as unknown as Findings;
  return captureRows(findings).filter(({ id }) => id !== 'agent');
}

test('of a host whose captures are all listed nothing is said', async () => {
  for (const answer of [{ runs: [], left_out: 0 }, { runs: [] }])
    expect((await rowsOf(answer, true)).map(({ id }) => id)).toEqual(['running']);
});

test.each([
  [true, `'sudo' '${BASE}/agent/0.1.0/stalltrace-agent' 'status' '--remove'`],
  [false, `'${BASE}/agent/0.1.0/stalltrace-agent' 'status' '--remove' '--run-dir' '${BASE}/runs'`],
])(
  'which are left out is said, and how to forget what has ended (root: %s)',
  async (root, command) => {
    const [, row] = await rowsOf({ runs: [], left_out: 1234 }, root);
    expect(row).toMatchObject({ id: 'captures-left-out', status: 'warn' });
    expect(row?.detail).toContain('knows 1,234 more captures than it lists');
    expect(row?.next).toMatch(/^Have the agent drop captures that have ended, then check again/);
    expect(row?.next).toContain(`On the host: ${command}`);
  },
);
