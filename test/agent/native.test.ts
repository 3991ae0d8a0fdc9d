import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { aloneIn, buildFolder } from '../../scripts/agent/build.mjs';
import { buildAgentHere } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** The agent's own unit tests in agent/test: as built, with sanitizers, on arm64; its fuzzers. */

const isSoak = process.env.STALLTRACE_SOAK !== undefined;
const FUZZ_SECONDS = isSoak ? 300 : 1;
/** Beside other tests, which build too. */
const BUILDS_WITHIN_MS = 600_000;
const agentSource = join(root, 'agent');

function make(out: string, args: readonly string[]) {
  const words = ['-s', `-j${availableParallelism()}`, '-C', agentSource, `OUT=${out}`, ...args];
  const { status, stdout, stderr } = aloneIn(out, () =>
    spawnSync('make', words, { encoding: 'utf8', maxBuffer: 64 << 20 }),
  );
  return { status, output: `${stdout}\n${stderr}` };
}

/** Several go on at once: most of them wait, for a disk or for the end of their time. */
async function run(file: string, args: readonly string[] = []) {
  // Its leak check needs ptrace, which a container may not give.
  const env = {
    ...process.env,
    ASAN_OPTIONS: 'detect_leaks=1',
    UBSAN_OPTIONS: 'print_stacktrace=1',
  };
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, string | null]>,
  ]);
  return { status, output: `${signal ?? ''}\n${stdout}\n${stderr}` };
}

const unitTests = readdirSync(join(agentSource, 'test'))
  .filter((name) => name.endsWith('_test.c'))
  .map((name) => name.slice(0, -2));
const fuzzers = readdirSync(join(agentSource, 'test'))
  .filter((name) => /^fuzz_.*\.c$/.test(name))
  .map((name) => name.slice(0, -2));

describeWith(['agent'], 'unit tests of the agent', () => {
  const out = buildFolder(root, process.arch);

  beforeAll(() => {
    const { status, output } = make(out, ['tests']);
    expect(status, output).toBe(0);
  }, BUILDS_WITHIN_MS);

  test.concurrent.each(unitTests)('%s', async (name) => {
    const { status, output } = await run(join(out, 'test', name));
    expect(status, output).toBe(0);
  });
});

describeWith(['agent'], 'unit tests of the agent with ASan and UBSan', () => {
  const out = join(root, 'out/agent-build', `sanitize-${process.arch}`);

  beforeAll(() => {
    const { status, output } = make(out, ['tests', 'SANITIZE=1']);
    expect(status, output).toBe(0);
  }, BUILDS_WITHIN_MS);

  // That counts the steps that redact_test takes under the checks, which are the same ones without.
  const checked = unitTests.filter((name) => name !== 'redact_work_test');
  test.concurrent.each(checked)('%s', async (name) => {
    const { status, output } = await run(join(out, 'test', name));
    expect(status, output).toBe(0);
  });
});

/**
 * These ask the kernel about processes, and qemu's are not the kernel's; write for half a minute; or count
 * steps by the thousand million, the same ones on each processor.
 */
const NOT_UNDER_QEMU = [
  ...['proc_test', 'uprobes_test', 'writer_failure_test', 'redact_work_test'],
  // It opens no NETLINK_SOCK_DIAG.
  ...['connections_test', 'tcp_diag_test'],
];
const underQemu = unitTests.filter((name) => !NOT_UNDER_QEMU.includes(name));

// Two more builds, and all of it in an interpreter, for what hardly differs from x64: in `npm run soak`.
const describeArm64 = isSoak ? describeWith : () => undefined;
describeArm64(['agentArm64'], 'unit tests of the agent on arm64 under qemu', () => {
  const out = buildFolder(root, 'arm64');

  beforeAll(() => {
    // Fetches the libraries that its tests are linked with, too.
    buildAgentHere('arm64');
    const { status, output } = make(out, ['tests', 'ARCH=arm64']);
    expect(status, output).toBe(0);
  }, BUILDS_WITHIN_MS);

  test.concurrent.each(underQemu)('%s', async (name) => {
    const { status, output } = await run('qemu-aarch64', [join(out, 'test', name)]);
    expect(status, output).toBe(0);
  });
});

describeWith(['agent', 'fuzzer'], 'fuzzers of the agent’s parsers', () => {
  const out = join(root, 'out/agent-build', `fuzz-${process.arch}`);
  // Fixed, so that a failure in CI is a failure at home.
  const seed = 20_261_121;

  beforeAll(() => {
    const { status, output } = make(out, ['FUZZ=1', 'fuzzers-built']);
    expect(status, output).toBe(0);
  }, BUILDS_WITHIN_MS);

  test.concurrent.each(fuzzers)(
    `%s, seed ${seed}`,
    async (name) => {
      const corpus = join(out, 'corpus', name);
      mkdirSync(corpus, { recursive: true });
      const { status, output } = await run(join(out, 'test', name), [
        `-max_total_time=${FUZZ_SECONDS}`,
        `-seed=${seed}`,
        '-max_len=4096',
        '-rss_limit_mb=2048',
        `-artifact_prefix=${out}/`,
        corpus,
      ]);
      expect(status, output.slice(-4000)).toBe(0);
    },
    (FUZZ_SECONDS + 60) * 1000,
  );
});
