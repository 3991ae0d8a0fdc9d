import { expect, test } from 'vitest';
import { checkVersion } from './agent-version.ts';
import { parseLook } from './host-look.ts';
import { readOutcome } from './put-agent.ts';

const HEAD = [
  'system\tLinux\tx86_64\t6.1\tgpu',
  'user\t1000\tme\t/bin/sh',
  'boot\t00000000-0000-0000-0000-000000000000',
];
const usable = (path: string) => `place\t${path}\ttraces\tusable\tnew\truns\t1\text4\t`;
const build = {
  arch: 'x64',
  version: '1',
  bytes: Buffer.alloc(1),
  sha256: '',
  folder: 'agent/1-0',
} as const;

function placesOf(...lines: readonly string[]): readonly string[] {
  const look = parseLook([...HEAD, ...lines].join('\n'));
  if (!look.ok) throw new Error(look.error.message);
  return look.value.places.map(({ path }) => path);
}

test('places whose paths could not be shown are none, nor are thousands', () => {
  expect(placesOf(usable('/a'), usable('/b\u202e'), usable('/c\u001b[2J'), usable('d'))).toEqual([
    '/a',
  ]);
  const many = Array.from({ length: 5000 }, (_, index) => usable(`/p${index}`));
  expect(placesOf(...many).length).toBe(16);
});

test('why the agent could not be put somewhere is cut and cleaned', () => {
  const failed = readOutcome(
    { stdout: `failed\t/a\t\u001b[2J\u202e${'x'.repeat(1e6)}\n`, stderr: '' },
    build,
    false,
  );
  if (!failed.ok || failed.value.kind !== 'failed') throw new Error('has not failed');
  expect(failed.value.why.length).toBeLessThanOrEqual(400);
  expect(failed.value.why).toMatch(/^␛\[2J\ufffdx/);
  const unknown = readOutcome({ stdout: 'failed\ta\u202e\tb\n', stderr: '' }, build, false);
  expect(unknown).toMatchObject({ error: { code: 'deploy-failed', detail: 'a\ufffd b\n' } });
});

test('the version that an agent tells is cleaned', () => {
  const said = JSON.stringify({ agent: '2\u202e', protocol: 2, arch: 'x64' });
  expect(checkVersion(said, build)).toMatchObject({
    error: { code: 'agent-mismatch', message: expect.stringContaining('2\ufffd (x64') },
  });
});
