import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Build,
  type BuiltFile,
  describeFiles,
  ingredients,
  make,
} from '../../scripts/agent/build.mjs';
import { readManifest } from '../../scripts/agent/shipped.mjs';
import { sourcesDigest } from '../../scripts/agent/sources.mjs';
import { buildAgentHere, runAgent, value } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** The agents of resources/agent: those that are tested, and what their sources give. */

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-shipped-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is shipped of the sources as they are; none while somebody works on these. */
function shippedBuild(arch: string): Build | undefined {
  const { manifest } = readManifest(root);
  const isCurrent = manifest?.sources === sourcesDigest(root);
  return isCurrent ? manifest.builds.find((build) => build.arch === arch) : undefined;
}

/** The same sources, built in a folder of another name and depth. */
function buildElsewhere(arch: string): BuiltFile[] {
  const elsewhere = join(folder, `some-${arch}`, 'where');
  cpSync(join(root, 'agent'), join(elsewhere, 'agent'), { recursive: true });
  expect(make(root, elsewhere, arch, '../../out')).toBe(true);
  return describeFiles(join(folder, `some-${arch}`, 'out'));
}

/** Made with the same tools, the shipped agent is such a build: it came from another folder. */
function builtElsewhere(arch: string): readonly BuiltFile[] {
  const shipped = shippedBuild(arch);
  const { tools, libraries } = ingredients(root, arch);
  const sameTools =
    JSON.stringify([shipped?.tools, shipped?.libraries]) === JSON.stringify([tools, libraries]);
  return shipped !== undefined && sameTools ? shipped.files : buildElsewhere(arch);
}

/** One build takes a minute: in `npm test` that for this machine, in `npm run soak` that for arm64 too. */
const built = process.env.STALLTRACE_SOAK === undefined ? [process.arch] : [process.arch, 'arm64'];

function isShippedAsTested(arch: string): void {
  test('the one that is tested is the one that is shipped', () => {
    const status = JSON.parse(readFileSync(join(root, 'out/agent/status.json'), 'utf8'));
    expect(status.sources).toBe(sourcesDigest(root));
    const { files } = shippedBuild(arch) ?? buildAgentHere(arch);
    expect(describeFiles(join(root, 'out/agent', `linux-${arch}`))).toEqual(files);
  });

  if (built.includes(arch))
    test('its sources give the same bytes in any folder', () => {
      const { files } = buildAgentHere(arch);
      expect(files).toEqual(builtElsewhere(arch));
    }, 600_000);
}

describeWith(['agent'], 'the agent for this machine', () => isShippedAsTested(process.arch));
describeWith(['agentArm64'], 'the agent for arm64', () => {
  isShippedAsTested('arm64');

  const agent = join(root, 'out/agent/linux-arm64/stalltrace-agent');
  const run = (args: readonly string[], ...machine: readonly string[]) =>
    spawnSync('qemu-aarch64', [...machine, agent, ...args], { encoding: 'utf8' });

  describe('under qemu', () => {
    test('says its version', () => {
      const { status, stdout, stderr } = run(['version', '--json']);
      expect(status, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ arch: 'arm64', agent: expect.any(String) });
    });

    test('checks the machine', () => {
      const { status, stdout, stderr } = run(['check', '--json']);
      // qemu has no bpf(): a launched job's inside and /proc are left.
      expect(status, stderr).toBe(3);
      const { checks, summary } = JSON.parse(stdout);
      expect(checks).toContainEqual(
        expect.objectContaining({ id: 'architecture', detail: 'aarch64' }),
      );
      expect(summary.mode).toBe('inside');
    });

    test.each([
      ['6.1.0', 'ok', '6.1.0'],
      ['4.14.0', 'fail', '4.14.0: too old for the BPF programs, which need 5.15.'],
      [
        '3.10.0',
        'fail',
        '3.10.0: too old for the BPF programs, which need 5.15, and for recording from inside, which needs 3.17.',
      ],
    ])('says what Linux %s is enough for', (release, status, detail) => {
      const { stdout } = run(['check', '--json'], '-r', release);
      const { checks } = JSON.parse(stdout);
      expect(checks).toContainEqual(expect.objectContaining({ id: 'kernel', status, detail }));
    });

    test('records by reading /proc', async () => {
      const enough = join(folder, 'enough');
      const job = `while [ ! -e "${enough}" ]; do sleep 0.01; done; exit 7`;
      const { code, stderr, file } = await runAgent(['sh', '-c', job], {
        folder,
        agent,
        through: ['qemu-aarch64'],
        args: ['--no-bpf'],
        async meanwhile({ said }) {
          await said('progress', /"off_cpu":[1-9]/);
          writeFileSync(enough, '');
        },
      });
      expect(code, stderr).toBe(7);
      expect(value(file, 'PRAGMA integrity_check')).toBe('ok');
      expect(value(file, 'SELECT count(*) FROM off_cpu')).toBeGreaterThan(0);
    });
  });
});
