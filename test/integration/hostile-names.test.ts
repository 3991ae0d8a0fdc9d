import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileNames, UNREADABLE } from '../fixtures/hostile/names.ts';
import { activeParts, structureOf } from '../support/page/github-markdown.ts';
import { writeHostileTrace } from '../support/page/hostile-trace.ts';
import { runCli } from '../support/run-cli.ts';

/** Sets the title, fills the clipboard, colours, begins a line of its own, turns the direction. */
const EVIL_FILE = 'a\u001b]52;c;cm0=\u0007\u009b31m\rb\u202e\nstalltrace: all is well.db';
/** Those that are as long as a name is kept would be cut before their end. */
const names = Object.values(hostileNames).filter((name) => name.length < 1_000);

let folder: string;
let environment: Record<string, string>;
const at = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-names-'));
  environment = { STALLTRACE_DATA_DIR: at('data') };
  writeHostileTrace(at('hostile.db'), (n) => `${names[n % names.length] ?? ''} ${n}`);
  writeHostileTrace(at('plain.db'), (n) => `name ${n}`);
  renameSync(at('hostile.db'), at(EVIL_FILE));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a command tells; nothing in it acts on a terminal. */
function told(args: readonly string[], code = 0): string {
  const run = runCli(args, folder, environment);
  const lines = `${run.stdout}\n${run.stderr}`.split('\n');
  expect(lines.filter((line) => UNREADABLE.test(line))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('stalltrace: all is well'))).toEqual([]);
  expect({ args, code: run.code, stderr: code === 0 ? run.stderr : '' }).toEqual({
    args,
    code,
    stderr: '',
  });
  return run.stdout + run.stderr;
}

describe('at a terminal', () => {
  test.each([
    ['info', EVIL_FILE],
    ['explain', EVIL_FILE, '--slowest', 'cudaMemcpyAsync'],
    ['import', EVIL_FILE],
    ['library'],
    ['compare', EVIL_FILE, 'plain.db'],
    ['compare', EVIL_FILE, 'plain.db', EVIL_FILE],
    ['export', EVIL_FILE, '--svg', 'picture\u001b[31m\u009b.svg'],
  ])('%s %j tells names as text', (...args) => {
    expect(told(args)).toMatch(/[a-z]/);
  });

  test.each([
    ['info', 'not there\u001b[31m\u009b\n.db'],
    ['export', EVIL_FILE, '--markdown', 'no folder\u001b[31m\u009b/a.md'],
    ['check', 'host\u001b[31m\u009b'],
  ])('%s %j fails with a plain sentence', (...args) => {
    expect(told(args, 1)).toMatch(/^stalltrace: [^\n]+\.\n$/);
  });

  test('a data folder that has such a name is told likewise', () => {
    const data = { STALLTRACE_DATA_DIR: '/dev/null/\u001b[31m\u009b' };
    const { stdout, stderr } = runCli(['info', 'plain.db'], folder, data);
    expect((stdout + stderr).split('\n').filter((line) => UNREADABLE.test(line))).toEqual([]);
  });
});

describe('to a program', () => {
  test("JSON holds the file's name as it is, and no control character", () => {
    const out = told(['info', EVIL_FILE, '--json']);
    expect(JSON.parse(out).file.path).toBe(at(EVIL_FILE));
  });

  test('so does an error', () => {
    const { stdout } = runCli(['info', 'x\u009b\u202e', '--json'], folder, environment);
    expect(stdout.split('\n').filter((line) => UNREADABLE.test(line))).toEqual([]);
    expect(JSON.parse(stdout).error.detail).toContain('x\u009b\u202e');
  });
});

test('report and picture have the parts of any others, and nothing in them acts', () => {
  const report = (file: string, svg: string) => {
    const args = ['export', file, '--markdown', '-', '--svg', svg, '--show-private'];
    const { code, stdout } = runCli(args, folder, environment);
    expect(code).toBe(0);
    return stdout;
  };
  const hostile = report(EVIL_FILE, 'hostile.svg');
  expect(activeParts(hostile)).toEqual([]);
  expect(structureOf(hostile)).toEqual(structureOf(report('plain.db', 'plain.svg')));
  expect(tagsOf('hostile.svg')).toEqual(tagsOf('plain.svg'));
});

test('runs compared as Markdown, two or more, have nothing in them that acts', () => {
  for (const files of [
    [EVIL_FILE, 'plain.db'],
    ['plain.db', EVIL_FILE, EVIL_FILE],
  ]) {
    const { code, stdout } = runCli(['compare', ...files, '--markdown'], folder, environment);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^## (Two|3) runs compared\n/);
    expect(activeParts(stdout)).toEqual([]);
    expect(stdout.split('\n').filter((line) => UNREADABLE.test(line))).toEqual([]);
  }
});

/** Elements and attributes of a picture, each once. */
function tagsOf(file: string): string[] {
  const tags = readFileSync(at(file), 'utf8').matchAll(/<[^<>]+>/g);
  return [...new Set([...tags].map(([tag]) => tag.replaceAll(/"[^"]*"/g, '""')))].sort();
}
