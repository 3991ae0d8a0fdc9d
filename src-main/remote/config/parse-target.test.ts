import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HostTarget, hostTarget } from '../../shared/remote/host-target.ts';
import { formatHop, parseTarget } from './parse-target.ts';

function read(text: string): HostTarget {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

function refusal(text: string): string {
  const parsed = parseTarget(text);
  return parsed.ok ? `read as ${JSON.stringify(parsed.value)}` : parsed.error.message;
}

describe('what providers and people paste', () => {
  it.each<[string, HostTarget]>([
    [
      'ssh root@203.0.113.7 -p 40123 -i ~/.ssh/id_ed25519',
      { name: '203.0.113.7', user: 'root', port: 40_123, identityFiles: ['~/.ssh/id_ed25519'] },
    ],
    [
      'ssh -p 2222 -i ~/.ssh/k -J bastion -l root host',
      { name: 'host', user: 'root', port: 2222, identityFiles: ['~/.ssh/k'], jumps: ['bastion'] },
    ],
    // As with ssh: of two users the one that comes first.
    ['ssh -l root user@host', { name: 'host', user: 'root' }],
    ['ssh user@host -l root', { name: 'host', user: 'user' }],
    [
      'ssh -p 12345 root@ssh4.vast.ai -L 8080:localhost:8080',
      { name: 'ssh4.vast.ai', user: 'root', port: 12_345 },
    ],
    ['$ ssh ubuntu@198.51.100.4', { name: '198.51.100.4', user: 'ubuntu' }],
    ['ubuntu@198.51.100.4:2200', { name: '198.51.100.4', user: 'ubuntu', port: 2200 }],
    ['ssh://root@gpu.example.com:2222/', { name: 'gpu.example.com', user: 'root', port: 2222 }],
    ['ssh ssh://root@gpu:2222', { name: 'gpu', user: 'root', port: 2222 }],
    ['root@[2001:db8::1]:22022', { name: '2001:db8::1', user: 'root', port: 22_022 }],
    ['ssh -6 root@2001:db8::1', { name: '2001:db8::1', user: 'root' }],
    ['gpu-box', { name: 'gpu-box' }],
    [
      'ssh -o Port=2200 -oUser=me -o "IdentityFile ~/my key" gpu',
      {
        name: 'gpu',
        port: 2200,
        user: 'me',
        identityFiles: ['~/my key'],
      },
    ],
    ['ssh -tt -vp 22022 gpu', { name: 'gpu', port: 22_022 }],
    ['/usr/bin/ssh -p22 "me@gpu"', { name: 'gpu', user: 'me', port: 22 }],
    ['ssh -J a,me@b:2200,[::1]:22 gpu', { name: 'gpu', jumps: ['a', 'me@b:2200', '[::1]:22'] }],
    ['ssh -J none gpu', { name: 'gpu', jumps: [] }],
    ['ssh \\\n  -p 2222 \\\n  root@gpu', { name: 'gpu', user: 'root', port: 2222 }],
    ['ssh -o StrictHostKeyChecking=no -p 2222 root@gpu', { name: 'gpu', user: 'root', port: 2222 }],
    ['pod-abc@ssh.runpod.io', { name: 'ssh.runpod.io', user: 'pod-abc' }],
    ['DOMAIN\\me@gpu', { name: 'gpu', user: 'DOMAIN\\me' }],
    ['user@corp@gpu', { name: 'gpu', user: 'user@corp' }],
  ])('%s', (text, target) => {
    expect(read(text)).toEqual(target);
  });
});

describe('what is refused says what is wrong', () => {
  it.each([
    ['', 'There is no host in it'],
    ['ssh', 'There is no host in it'],
    ['ssh -p', 'The option -p has no value'],
    ['ssh -p 0 gpu', '“0” is not a port'],
    ['ssh -p 1e3 gpu', '“1e3” is not a port'],
    ['ssh -p 65536 gpu', '“65536” is not a port'],
    ['gpu:99999', '“gpu:99999” is not a host'],
    ['ssh -w 0:0 gpu', 'The option -w is not understood here'],
    ['ssh -o ProxyCommand="nc %h %p" gpu', 'The option -o ProxyCommand is not understood here'],
    ['ssh -o Port gpu', 'The option -o Port has no value'],
    ['ssh gpu nvidia-smi', 'After the host gpu comes a command (“nvidia-smi”)'],
    ['ssh gpu "rm -rf /"', 'comes a command (“rm -rf /”)'],
    ['ssh "gpu', 'A quote is not closed'],
    ['scp file gpu:', 'That is not a line for ssh: it begins with “scp”'],
    ['gpu box', 'That is not a line for ssh'],
    ['ssh -- -oProxyCommand=x', '“-oProxyCommand=x” is not a host'],
    ['-oProxyCommand=x', '“-oProxyCommand=x” is not a host'],
    ['me@-x', '“me@-x” is not a host'],
    ['@gpu', '“@gpu” is not a host'],
    ['ssh://', '“ssh://” is not a host'],
    ['http://gpu', '“http://gpu” is not a host'],
    ['ssh -J a,,b gpu', '“a,,b” is not a list of jump hosts'],
    [`ssh -l ${'x'.repeat(80)} gpu`, 'is not a user name'],
    ['gpu\u0000x', 'is not a host'],
  ])('%s', (text, message) => {
    expect(refusal(text)).toContain(message);
  });
});

const word = (most: number) =>
  fc.stringMatching(new RegExp(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,${most}}$`));
const hop = fc.record({
  name: fc.oneof(word(20), fc.ipV6(), fc.ipV4()),
  user: fc.option(word(12), { nil: undefined }),
  port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
});
const target = hop.chain((base) =>
  fc.record({
    base: fc.constant(base),
    identityFiles: fc.option(
      fc.array(fc.stringMatching(/^[~/][ -!#-&(-~]{0,30}$/), { minLength: 1, maxLength: 8 }),
      { nil: undefined },
    ),
    jumps: fc.option(fc.array(hop, { maxLength: 4 }), { nil: undefined }),
  }),
);

describe('any line', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(target, fc.boolean(), ({ base, identityFiles, jumps }, hostFirst) => {
        const options = [
          ...(base.port === undefined ? [] : ['-p', String(base.port)]),
          ...(base.user === undefined ? [] : ['-l', base.user]),
          ...(identityFiles ?? []).flatMap((file) => ['-i', quoted(file)]),
          ...(jumps === undefined
            ? []
            : [
                '-J',
                jumps.length === 0
                  ? 'none'
                  : jumps.map((one) => formatHop(one as HostTarget)).join(','),
              ]),
        ];
        const name = base.name;
        const line = hostFirst ? ['ssh', name, ...options] : ['ssh', ...options, name];
        expect(read(line.join(' '))).toEqual(
          JSON.parse(
            JSON.stringify({
              ...base,
              identityFiles,
              jumps: jumps?.map((one) => formatHop(one as HostTarget)),
            }),
          ),
        );
      }),
    );
  });

  it('never throws, and gives what the schema allows or a sentence', () => {
    const pieces = fc.constantFrom(
      'ssh',
      '-p',
      '-J',
      '-o',
      '-i',
      '@',
      ':',
      '[',
      ']',
      '"',
      "'",
      '\\',
      ' ',
      '\n',
      'ssh://',
      '%',
      '22',
      'host',
      '-',
      '--',
      '\u202e',
      '=',
      ',',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
      fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(text, (line) => {
        const parsed = parseTarget(line);
        if (parsed.ok) expect(hostTarget.safeParse(parsed.value).success).toBe(true);
        else {
          expect(parsed.error.code).toBe('bad-target');
          expect(parsed.error.message).toMatch(/^\S.*[.]$/s);
          expect(parsed.error.message).not.toMatch(/\p{Cc}|\u202e/u);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
