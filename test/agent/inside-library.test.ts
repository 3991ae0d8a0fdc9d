import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as elf from '../support/agent/elf-headers.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** The library that CUDA loads into a job: it must load wherever there is CUDA, and do nothing by that. */

function isModest(arch: string): void {
  const library = join(root, 'out/agent', `linux-${arch}`, 'libstalltrace-inside.so');
  const headers = elf.readElfHeaders(library);

  test('needs nothing that glibc 2.17 lacks', () => {
    const versions = headers.versions.map((text) => /^(\S+) GLIBC_2\.(\d+)/.exec(text));
    expect(versions.length).toBeGreaterThan(2);
    for (const version of versions) {
      expect(version?.[1]).toMatch(/^lib(c\.so\.6|dl\.so\.2|pthread\.so\.0)$/);
      expect(Number(version?.[2])).toBeLessThanOrEqual(17);
    }
  });

  test('runs nothing when it is loaded, and stays', () => {
    for (const tag of [elf.DT_INIT, elf.DT_INIT_ARRAY, elf.DT_PREINIT_ARRAY])
      expect(headers.dynamic.has(tag)).toBe(false);
    const flags = headers.dynamic.get(elf.DT_FLAGS_1) ?? 0n;
    expect(flags & elf.DF_1_NODELETE).toBe(elf.DF_1_NODELETE);
  });

  test('has nothing that is written and executed', () => {
    for (const { flags } of headers.segments)
      expect(flags & (elf.PF_W | elf.PF_X)).not.toBe(elf.PF_W | elf.PF_X);
  });
}

describeWith(['agent'], 'the library inside, for this machine', () => isModest(process.arch));
describeWith(['agentArm64'], 'the library inside, for arm64', () => isModest('arm64'));
