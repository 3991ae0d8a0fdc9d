import { expect, it } from 'vitest';
import { configEnvironment } from '../config/config-environment.ts';
import { testHost } from '../transport/testing/test-host.ts';
import { sshConfigText } from './config-file.ts';

const environment = { ...configEnvironment(), configFile: '/none' };
/** The lines of a host's own block. */
function blockOf(name: string, text: string): readonly string[] {
  const [, block = ''] = text.split(`Host ${name}\n`);
  return (
    block
      .split(/^Host /m)[0]
      ?.trim()
      .split('\n') ?? []
  );
}

it('signs in nowhere where a changed key is only looked at, be it a hop’s', () => {
  const [hop, host] = [testHost('hop'), testHost('gpu', { strictHostKeyChecking: 'yes' })];
  const text = sshConfigText(
    [
      { host: hop, files: ['/probed'], isProbed: true },
      { host, files: ['/new', '/a "b"'] },
    ],
    environment,
    5,
  );
  expect(blockOf('hop', text)).toEqual([
    'UserKnownHostsFile "/probed"',
    'GlobalKnownHostsFile /dev/null',
    'StrictHostKeyChecking accept-new',
    'PreferredAuthentications none',
    'ConnectTimeout 5',
  ]);
  expect(blockOf('gpu', text)).toEqual([
    'UserKnownHostsFile "/new" "/a \\"b\\""',
    'GlobalKnownHostsFile /dev/null',
    'StrictHostKeyChecking yes',
    'ConnectTimeout 5',
  ]);
});

it('never takes a key unseen', () => {
  const host = testHost('gpu', { strictHostKeyChecking: 'no' });
  const text = sshConfigText([{ host, files: ['/new'] }], environment, 5);
  expect(blockOf('gpu', text)).toContain('StrictHostKeyChecking ask');
});
