import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtFile } from '../support/built.ts';
import { fillDisk, mountReadOnly, mountSmallDisk, unmountAll } from '../support/mount.ts';
import { describeWith } from '../support/requirements.ts';
import { simulatedTrace as sample } from '../support/simulated-trace.ts';

/**
 * Every command against every place that can't be written: one sentence with the next step and an exit
 * code of docs/cli.md, never an exception, never a wait without end, and nothing left there.
 */

const NOBODY = 65_534;
const LIMIT_MS = 60_000;
/** All pairs in `npm run soak`; in `npm test` those that once went wrong, and one of each command. */
const ALL = process.env.STALLTRACE_SOAK === '1';
const ALWAYS =
  /^(benchmark|capture --out) to .*not be entered|^(library|import) .*folder is ever made/;

let base: string;
const at = (...names: string[]) => join(base, ...names);

const outputs = {
  'a folder that may not be entered': () => at('shut', 'out'),
  'a folder below that': () => at('shut', 'below', 'out'),
  'a folder that may not be written': () => at('fixed', 'out'),
  'a file as its folder': () => at('file', 'out'),
  'a link that leads nowhere': () => at('dangling'),
  'below such a link': () => at('dangling', 'out'),
  'a link to itself': () => at('loop'),
  'below such a link to itself': () => at('loop', 'out'),
  'a name that is too long': () => at('n'.repeat(300)),
  'a path that is too long': () => at(`${'nnnn/'.repeat(1000)}out`),
  'a folder that is not there': () => at('nowhere', 'out'),
  'a folder in the way': () => at('open'),
  'a disk that is read-only': () => at('read-only', 'out'),
  'a disk that is full': () => at('full', 'out'),
  'a device that is full': () => '/dev/full',
  'where no file is ever made': () => '/proc/nowhere/out',
} as const;

const dataFolders = {
  'that may not be entered': () => at('shut'),
  'below one that may not be entered': () => at('shut', 'data'),
  'that may not be written': () => at('fixed'),
  'below a file': () => at('file', 'data'),
  'that is a file': () => at('file'),
  'that is a link that leads nowhere': () => at('dangling'),
  'below a link that leads nowhere': () => at('dangling', 'data'),
  'that is a link to itself': () => at('loop'),
  'with a name that is too long': () => at('n'.repeat(300)),
  'with a path that is too long': () => at('nnnn/'.repeat(1000)),
  'on a disk that is read-only': () => at('read-only', 'data'),
  'on a disk that is full': () => at('full'),
  'where no folder is ever made': () => '/proc/nowhere/data',
  'of a process': () => '/proc/self/fd/77/data',
  'that is a device': () => '/dev/null',
} as const;

const HOST = ['127.0.0.1', '-p', '1', '--accept-new-host-key'];
const writers: Record<string, (out: string) => string[]> = {
  benchmark: (out) => ['benchmark', at('run.db'), '--out', out],
  'export --markdown': (out) => ['export', at('run.db'), '--markdown', out],
  'export --svg': (out) => ['export', at('run.db'), '--svg', out, '--force'],
  'export --stalltrace': (out) => ['export', at('run.db'), '--stalltrace', out],
  'export of two': (out) => ['export', at('run.db'), '--svg', out, '--markdown', `${out}.md`],
  'capture --out': (out) => ['capture', ...HOST, '--all', '--yes', '--out', out],
};
const users: Record<string, string[]> = {
  library: ['library'],
  'library --json': ['library', '--json'],
  import: ['import', 'run.db'],
  'import --copy': ['import', 'run.db', '--copy', '--json'],
  info: ['info', 'run.db'],
  explain: ['explain', 'run.db'],
  'export --stalltrace': ['export', 'run.db', '--stalltrace', 'open/new', '--force'],
  captures: ['captures'],
  check: ['check', ...HOST],
};

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command line as a user without rights. */
function run(args: readonly string[], dataFolder: string, stdout?: number): Promise<Outcome> {
  const child = spawn(process.execPath, [builtFile('main/cli.js'), ...args], {
    cwd: base,
    uid: NOBODY,
    gid: NOBODY,
    env: { ...process.env, HOME: at('home'), TMPDIR: at('tmp'), STALLTRACE_DATA_DIR: dataFolder },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const said = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (said.stdout += chunk));
  child.stderr?.on('data', (chunk) => (said.stderr += chunk));
  return new Promise((done, refuse) => {
    child.on('error', refuse);
    child.on('close', (code) => done({ code, ...said }));
  });
}

/** What is wrong with how a command took it; `undefined` where it held. */
function brokenBy({ code, stdout, stderr }: Outcome): string | undefined {
  if (code === null) return 'it had to be killed';
  if (![0, 1].includes(code)) return `exit code ${code}`;
  if (/^\s+at |^\w*Error\b|node:internal|\bbug in\b|process:|\n\n/m.test(stderr))
    return `an exception: ${stderr}`;
  const sentences = stderr.split('\n').filter((line) => line !== '');
  if (code === 1 && sentences.length === 0) return 'no sentence';
  const unclear = sentences.find((line) => !/^stalltrace: .+: .+\.$/.test(line));
  if (code === 1 && unclear !== undefined) return `no sentence with a next step: ${unclear}`;
  return stdout.includes('\n    at ') ? `an exception on stdout: ${stdout}` : undefined;
}

interface Pair {
  readonly title: string;
  readonly args: readonly string[];
  readonly data: string;
}

function pairs(): Pair[] {
  const written = Object.entries(writers).flatMap(([command, argsFor]) =>
    Object.entries(outputs).map(([fault, out]) => ({
      title: `${command} to ${fault}`,
      args: argsFor(out()),
      data: at('data'),
    })),
  );
  const used = Object.entries(users).flatMap(([command, args]) =>
    Object.entries(dataFolders).map(([fault, data]) => ({
      title: `${command} with a data folder ${fault}`,
      args,
      data: data(),
    })),
  );
  return [...written, ...used];
}

/** Two at a time: as many as the smallest machine has CPUs. */
async function attack(chosen: readonly Pair[]): Promise<string[]> {
  const left = [...chosen];
  const broken: string[] = [];
  async function worker(): Promise<void> {
    for (let pair = left.shift(); pair !== undefined; pair = left.shift()) {
      const wrong = brokenBy(await run(pair.args, pair.data));
      if (wrong !== undefined) broken.push(`${pair.title}: ${wrong}`);
    }
  }
  await Promise.all([worker(), worker()]);
  return broken;
}

describeWith(['root', 'mount', 'reachable'], 'places that cannot be written', () => {
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'cli-faults-'));
    chmodSync(base, 0o755);
    for (const name of ['open', 'home', 'tmp', 'data', 'shut', 'fixed', 'full', 'read-only']) {
      mkdirSync(at(name));
      chownSync(at(name), NOBODY, NOBODY);
    }
    chmodSync(at('shut'), 0);
    chmodSync(at('fixed'), 0o555);
    writeFileSync(at('file'), '');
    symlinkSync(at('open', 'missing', 'file'), at('dangling'));
    symlinkSync(at('loop'), at('loop'));
    copyFileSync(sample, at('run.db'));
    chmodSync(at('run.db'), 0o444);
    mountSmallDisk(at('full'), 64);
    chmodSync(at('full'), 0o777);
    fillDisk(at('full'));
    mountReadOnly(at('read-only'));
  });
  afterAll(() => {
    unmountAll();
    rmSync(base, { recursive: true, force: true });
  });

  test(
    'end every command with a sentence, and keep nothing',
    async () => {
      const all = pairs();
      const chosen = all.filter(
        ({ title }, index) => ALL || ALWAYS.test(title) || index % 41 === 7,
      );
      const broken = await attack(chosen);
      console.log(
        `places × commands: ${chosen.length} tried, ${chosen.length - broken.length} held`,
      );
      expect(broken).toEqual([]);
      for (const name of ['shut', 'fixed', 'read-only', 'tmp'])
        expect([name, readdirSync(at(name))]).toEqual([name, []]);
      expect(readdirSync(at('full'))).not.toContain('out');
      expect(lstatSync(at('dangling')).isSymbolicLink()).toBe(true);
    },
    ALL ? 1_200_000 : 120_000,
  );

  test('a pipe that nobody reads, and a full one', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const args = ['export', at('run.db'), '--markdown', '-'];
      const refused = await run(args, at('data'), full);
      expect(brokenBy(refused)).toBeUndefined();
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('output') });
    } finally {
      closeSync(full);
    }
    const shell = spawn(
      'sh',
      ['-c', '"$@" | true', 'sh', process.execPath, builtFile('main/cli.js'), 'info', at('run.db')],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, STALLTRACE_DATA_DIR: at('data') },
      },
    );
    let stderr = '';
    shell.stderr.on('data', (chunk) => (stderr += chunk));
    await new Promise((done) => shell.on('close', done));
    expect(stderr).toBe('');
  });
});
