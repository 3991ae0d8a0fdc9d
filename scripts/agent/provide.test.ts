import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AGENT_FILES, type BuildResult, describeFiles } from './build.mjs';
import { areAgentsCurrent, missingSentences, provideAgents } from './provide.mjs';
import { shippedProblems, writeShipped } from './shipped.mjs';
import { sourcesDigest } from './sources.mjs';

/** A checkout that has agents shipped, and no compiler: what a fresh clone is on a laptop. */
let root: string;
let said: string[];

const at = (...path: readonly string[]) => join(root, ...path);
const packedAgent = () => at('resources/agent/linux-x64/stalltrace-agent.zst');
const agent = (arch: string) => at('out/agent', `linux-${arch}`, 'stalltrace-agent');
const status = () => JSON.parse(readFileSync(at('out/agent/status.json'), 'utf8'));
const problems = () => shippedProblems(root, sourcesDigest(root)).problems;

function fakeBuild(arch: string, text: string): NonNullable<BuildResult['built']> {
  const folder = at('out/agent-build', `linux-${arch}`);
  mkdirSync(folder, { recursive: true });
  for (const name of AGENT_FILES)
    writeFileSync(join(folder, name), `${name} for ${arch}, ${text}`.repeat(1000));
  const libraries = { 'libelf-dev': '0.188' };
  const files = describeFiles(folder);
  return { folder, build: { arch, version: '0.1.0', tools: {}, libraries, files } };
}

const noCompiler = (): BuildResult => ({ missing: { why: 'no clang', next: 'install clang' } });
const compiler = (_root: string, arch: string): BuildResult => ({
  built: fakeBuild(arch, 'built here'),
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stalltrace-provide-'));
  mkdirSync(at('agent'));
  writeFileSync(at('agent/main.c'), 'int main(void) {}\n');
  const builds = ['x64', 'arm64'].map((arch) => fakeBuild(arch, 'shipped'));
  writeShipped(root, sourcesDigest(root), builds);
  rmSync(at('out'), { recursive: true });
  said = [];
  vi.spyOn(console, 'log').mockImplementation((line) => said.push(String(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

test('a clone has the shipped agents at once, and nothing is built', () => {
  provideAgents(root, noCompiler);
  expect(said).toEqual([]);
  expect(missingSentences(root)).toEqual([]);
  expect(readFileSync(agent('arm64'), 'utf8')).toContain('stalltrace-agent for arm64, shipped');
  const [x64] = status().built;
  const content = readFileSync(agent('x64'));
  expect(x64).toMatchObject({
    arch: 'x64',
    version: '0.1.0',
    path: 'linux-x64/stalltrace-agent',
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    inside: { path: 'linux-x64/libstalltrace-inside.so' },
    libraries: { 'libelf-dev': '0.188' },
  });
  if (process.platform !== 'win32') expect(statSync(agent('x64')).mode & 0o777).toBe(0o755);
  expect(areAgentsCurrent(root)).toBe(true);
  expect(problems()).toEqual([]);
});

test('an agent of other sources is not used: it is built here', () => {
  provideAgents(root, noCompiler);
  writeFileSync(at('agent/main.c'), 'int main(void) { return 1; }\n');
  expect(areAgentsCurrent(root)).toBe(false);
  provideAgents(root, compiler);
  expect(readFileSync(agent('x64'), 'utf8')).toContain('built here');
  expect(said[0]).toMatch(/^The agent for linux-x64 is built here: agent\/ is not what/);
  expect(areAgentsCurrent(root)).toBe(true);
  expect(problems()).toEqual([
    expect.stringMatching(/run "npm run ship-agent" on Debian 12 \(x86-64\)/),
  ]);
});

test('where it can’t be built there is none, and both reasons are said', () => {
  provideAgents(root, compiler);
  writeFileSync(at('agent/main.c'), 'int main(void) { return 1; }\n');
  provideAgents(root, noCompiler);
  expect(existsSync(agent('x64'))).toBe(false);
  expect(missingSentences(root)[0]).toBe(
    'The capture agent for linux-x64 is missing: agent/ is not what resources/agent was built from, and no clang; install clang. All but recording works without it.',
  );
});

test('where nothing is shipped it is built here, and shipping is asked for', () => {
  rmSync(at('resources'), { recursive: true });
  provideAgents(root, compiler);
  expect(said).toEqual([]);
  expect(readFileSync(agent('arm64'), 'utf8')).toContain('built here');
  expect(problems()).toEqual([expect.stringMatching(/holds no capture agents: run "npm run ship/)]);
});

const flipped = (bytes: Buffer) => {
  const at = bytes.length >> 1;
  return Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from([(bytes[at] ?? 0) ^ 1]),
    bytes.subarray(at + 1),
  ]);
};

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['was cut', (bytes) => bytes.subarray(0, -5)],
  ['is empty', () => Buffer.alloc(0)],
  ['has another bit', flipped],
  ['is no zstd', () => Buffer.from('<!doctype html>')],
  ['is another program, well packed', () => zstdCompressSync(Buffer.from('#!/bin/sh\n'))],
  ['is larger than was said', () => zstdCompressSync(Buffer.alloc(50_000_000))],
])('a shipped file that %s is refused, and the other agent is used', (_what, change) => {
  writeFileSync(packedAgent(), change(readFileSync(packedAgent())));
  provideAgents(root, noCompiler);
  expect(existsSync(agent('x64'))).toBe(false);
  expect(existsSync(agent('arm64'))).toBe(true);
  expect(missingSentences(root)).toEqual([
    expect.stringMatching(
      /^[^\n]* linux-x64 is missing: resources\/agent\/linux-x64\/stalltrace-agent\.zst is [^\n]*, and no clang; install clang\. /,
    ),
  ]);
  expect(problems()).toEqual([
    expect.stringMatching(/\.zst is [^\n]*: run "git checkout -- resources\/agent", or run "npm/),
  ]);
});

test('a shipped file that is not there is refused', () => {
  rmSync(packedAgent());
  provideAgents(root, noCompiler);
  expect(missingSentences(root)[0]).toMatch(/stalltrace-agent\.zst is missing, and no clang;/);
});

test('what was damaged is looked at again once it is another', () => {
  const whole = readFileSync(packedAgent());
  writeFileSync(packedAgent(), 'x');
  provideAgents(root, compiler);
  expect(readFileSync(agent('x64'), 'utf8')).toContain('built here');
  writeFileSync(packedAgent(), whole);
  expect(areAgentsCurrent(root)).toBe(false);
});

test.each([
  '',
  '{"sources":"',
  '[]',
  '{"sources":"../../../etc/passwd","builds":[]}',
  `{"sources":"${'0'.repeat(64)}","builds":[{"arch":"x64","version":"1","files":[]}]}`,
  `{"sources":"${'0'.repeat(64)}","builds":[{"arch":"../x","version":"1","files":[]}]}`,
])('a manifest of %j is refused', (text) => {
  writeFileSync(at('resources/agent/manifest.json'), text);
  provideAgents(root, noCompiler);
  expect(missingSentences(root)[0]).toContain('resources/agent/manifest.json is damaged, and no');
  expect(problems()).toEqual([expect.stringMatching(/manifest\.json is damaged: run "git/)]);
});
