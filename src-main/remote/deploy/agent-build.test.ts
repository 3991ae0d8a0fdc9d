import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { readAgentBuilds } from './agent-build.ts';

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-agents-'));
const path = 'linux-arm64/stalltrace-agent';
const agent = Buffer.from('an agent, as it was built');
const sha256 = createHash('sha256').update(agent).digest('hex');

beforeEach(() => {
  mkdirSync(join(folder, 'linux-arm64'), { recursive: true });
  writeFileSync(join(folder, path), agent);
  const built = [{ arch: 'arm64', path, version: '0.1.0', sha256, bytes: agent.length }];
  writeFileSync(join(folder, 'status.json'), JSON.stringify({ built, missing: [] }));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('reads what was built, to be put below a folder of its own', async () => {
  expect(await readAgentBuilds(folder)).toEqual({
    ok: true,
    value: [
      {
        arch: 'arm64',
        version: '0.1.0',
        bytes: agent,
        sha256,
        folder: `agent/0.1.0-${sha256.slice(0, 12)}`,
      },
    ],
  });
});

test.each([
  ['was cut', agent.subarray(0, 10)],
  ['was changed', Buffer.from('an agent, as it was BUILT')],
  ['is empty', Buffer.alloc(0)],
])('refuses an agent that %s, in one sentence', async (_what, content) => {
  writeFileSync(join(folder, path), content);
  const error = {
    code: 'no-agent-built',
    message: expect.stringMatching(/^\S*stalltrace-agent is damaged, [^\n]*: install [^\n]*\.$/),
  };
  expect(await readAgentBuilds(folder)).toMatchObject({ ok: false, error });
});

test.each(['{', '{}', '{"built":[{"arch":"x64","path":"linux-x64/stalltrace-agent"}]}'])(
  'has none where status.json says %s',
  async (text) => {
    writeFileSync(join(folder, 'status.json'), text);
    expect(await readAgentBuilds(folder)).toMatchObject({ error: { code: 'no-agent-built' } });
  },
);
