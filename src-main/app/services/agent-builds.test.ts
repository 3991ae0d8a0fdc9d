import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readAgentBuilds } from './agent-builds.ts';

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-agent-builds-'));
afterAll(() => rmSync(folder, { recursive: true }));

function statusFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('readAgentBuilds', () => {
  test('says which were built and why others were not', async () => {
    const built = { arch: 'x64', path: 'linux-x64/stalltrace-agent', bytes: 3, version: '0.1.0' };
    const missing = { arch: 'arm64', why: 'it needs clang', next: 'install clang' };
    const path = statusFile('built.json', JSON.stringify({ built: [built], missing: [missing] }));
    expect(await readAgentBuilds(path)).toEqual({ built: [built], missing: [missing] });
  });

  test.each([
    ['nothing', undefined],
    ['no file', join(folder, 'none.json')],
    ['no JSON', statusFile('broken.json', '{')],
  ])('%s is an installation without one, with the way to get it', async (_what, path) => {
    const { built, missing } = await readAgentBuilds(path);
    expect(built).toEqual([]);
    expect(missing[0]?.next).toContain('build-agent.mjs');
  });
});
