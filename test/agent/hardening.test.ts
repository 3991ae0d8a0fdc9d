import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildFolder } from '../../scripts/agent/build.mjs';
import { buildAgentHere } from '../support/agent/agent-run.ts';
import * as elf from '../support/agent/elf-headers.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** How the agent is linked: what it does with hostile files it does as root. */

const PF_READ = 4;

const agentOf = (arch: string) => join(root, 'out/agent', `linux-${arch}`, 'stalltrace-agent');

/** Functions of glibc that check the size of what they write to; put there by FORTIFY alone. */
const FORTIFIED = ['__memcpy_chk', '__snprintf_chk', '__vsnprintf_chk', '__read_chk'];

const headersOf = (arch: string) => elf.readElfHeaders(agentOf(arch));

/** What the agent's own objects name: those of the libraries inside it are Debian's to build. */
function ownSymbols(arch: string): Set<string> {
  const sources = join(buildFolder(root, arch), 'src');
  const objects = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.o'),
  );
  return new Set(objects.flatMap((name) => elf.readElfHeaders(join(sources, name)).symbols));
}

const flagsOf = (headers: elf.ElfHeaders, type: number) =>
  headers.segments.find((segment) => segment.type === type)?.flags;

function isHardened(arch: string): void {
  test('lies elsewhere each time, and needs no interpreter and no library', () => {
    const headers = headersOf(arch);
    expect(headers.type).toBe(elf.ET_DYN);
    expect((headers.dynamic.get(elf.DT_FLAGS_1) ?? 0n) & elf.DF_1_PIE).toBe(elf.DF_1_PIE);
    expect(flagsOf(headers, elf.PT_INTERP)).toBeUndefined();
    expect(headers.dynamic.has(elf.DT_NEEDED)).toBe(false);
  });

  test('has nothing that is written and executed, and a table of addresses nobody writes', () => {
    const headers = headersOf(arch);
    expect(flagsOf(headers, elf.PT_GNU_STACK)).toBe(PF_READ | elf.PF_W);
    expect(flagsOf(headers, elf.PT_GNU_RELRO)).toBeDefined();
    expect((headers.dynamic.get(elf.DT_FLAGS) ?? 0n) & elf.DF_BIND_NOW).toBe(elf.DF_BIND_NOW);
    for (const { flags } of headers.segments)
      expect(flags & (elf.PF_W | elf.PF_X)).not.toBe(elf.PF_W | elf.PF_X);
  });
}

/** What a stripped program does not tell of itself: by a build of its own, which takes a minute. */
function isBuiltHardened(arch: string): void {
  beforeAll(() => void buildAgentHere(arch), 600_000);

  test('checks its stack and the sizes of what it copies', () => {
    const symbols = ownSymbols(arch);
    expect(symbols).toContain('__stack_chk_fail');
    expect(FORTIFIED.filter((name) => symbols.has(name))).toEqual(FORTIFIED);
  });

  test('demangles nothing', () => {
    const { symbols } = elf.readElfHeaders(join(buildFolder(root, arch), 'stalltrace-agent.full'));
    expect(symbols.length).toBeGreaterThan(1000);
    expect(symbols.filter((name) => /demangle/.test(name))).toEqual([]);
  });
}

describeWith(['agent'], 'the agent for this machine', () => {
  isHardened(process.arch);
  isBuiltHardened(process.arch);
});
describeWith(['agentArm64'], 'the agent for arm64', () => {
  isHardened('arm64');
  // Another build, with the same options: in `npm run soak`.
  if (process.env.STALLTRACE_SOAK !== undefined) isBuiltHardened('arm64');
});
