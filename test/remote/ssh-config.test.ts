import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { configEnvironment } from '../../src-main/remote/config/config-environment.ts';
import { evaluateConfig, type HostOptions } from '../../src-main/remote/config/evaluate-config.ts';
import { expandTilde, expandTokens } from '../../src-main/remote/config/expand-tokens.ts';
import { parseJumps } from '../../src-main/remote/config/jump-spec.ts';
import { formatHop } from '../../src-main/remote/config/parse-target.ts';
import { readConfig } from '../../src-main/remote/config/read-config.ts';
import { describeWith } from '../support/requirements.ts';

/** What ssh makes of a file, and what we do: the same, for thousands of files that a generator wrote. */

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Keywords whose first value holds, as `ssh -G` prints them. */
const plain = {
  hostkeyalias: fc.constantFrom('alias', 'Other.Alias'),
  identitiesonly: fc.constantFrom('yes', 'no', 'Yes', 'true', 'FALSE'),
  identityagent: fc.constantFrom('none', 'SSH_AUTH_SOCK', '~/agent.sock', '$HOME', '"/a b/%r"'),
  stricthostkeychecking: fc.constantFrom('yes', 'no', 'ask', 'accept-new', 'off', 'true'),
  userknownhostsfile: fc.constantFrom('/tmp/kh', '/tmp/kh ~/kh2', '"/tmp/k h" /tmp/x', 'none'),
  globalknownhostsfile: fc.constantFrom('/etc/kh', '/etc/a /etc/b'),
  connecttimeout: fc.constantFrom('5', '1m', '1m30s', '2h', '0'),
  preferredauthentications: fc.constantFrom('publickey', 'password,publickey'),
};

const name = fc.constantFrom('alpha', 'beta', 'gamma', 'alpha.example.com', 'Beta', '10.0.0.1');
const pattern = fc.oneof(
  name,
  fc.constantFrom('*', 'a*', '*.example.com', '?eta', '10.0.*', '!alpha', '!*a', '!b*', '*a*a'),
);
const user = fc.constantFrom('root', 'ubuntu', userInfo().username, 'Ann');
const spaced = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.constantFrom('$', '"$"', "'$'"))
    .map(([word, form]) => form.replace('$', () => word));

const valued: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(
    fc.constant('HostName'),
    fc.oneof(name, fc.constantFrom('%h.example.com', 'UPPER.%h', '%%h')),
  ),
  fc.tuple(fc.constant('User'), spaced(user)),
  fc.tuple(fc.constant('Port'), fc.integer({ min: 1, max: 65_535 }).map(String)),
  fc.tuple(
    fc.constantFrom('IdentityFile', 'CertificateFile'),
    spaced(fc.constantFrom('~/.ssh/k1', '/keys/two', '%d/k', 'none', '~/k#1')),
  ),
  fc.tuple(
    fc.constant('ProxyJump'),
    fc.constantFrom(
      'bastion',
      'me@bastion:2200',
      'a,b@c:22',
      'none',
      '[::1]:2200',
      'ssh://u@h:9',
      'b # x',
    ),
  ),
  fc.tuple(fc.constant('ProxyCommand'), fc.constantFrom('nc %h %p', 'none', 'sh -c "x # y"')),
  ...Object.entries(plain).map(([keyword, value]) => fc.tuple(fc.constant(keyword), value)),
);

const letters = (text: string) => fc.constantFrom(text, text.toLowerCase(), text.toUpperCase());

const option = fc
  .tuple(
    valued.chain(([keyword, value]) => fc.tuple(letters(keyword), fc.constant(value))),
    fc.constantFrom(' ', '\t', '=', ' = ', '  ', ' ='),
    fc.constantFrom('', ' ', '\t', '  '),
    fc.constantFrom('', ' ', '\r', ' # said why'),
  )
  .map(([[keyword, value], between, before, after]) => {
    // ProxyCommand takes its whole line, so that a comment would be part of it.
    const end = /^proxy/i.test(keyword) ? '' : after;
    return `${before}${keyword}${between}${value}${end}`;
  });

const criterion = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('', '!'),
      fc.constantFrom('host', 'originalhost', 'Host'),
      fc.array(pattern, { minLength: 1, maxLength: 3 }),
    )
    .map(([no, keyword, list]) => `${no}${keyword} ${list.join(',')}`),
  fc
    .tuple(
      fc.constantFrom('', '!'),
      fc.constantFrom('user', 'localuser'),
      fc.array(fc.oneof(user, fc.constantFrom('*', 'r*', '!root')), { minLength: 1, maxLength: 2 }),
    )
    .map(([no, keyword, list]) => `${no}${keyword} ${list.join(',')}`),
  fc.constantFrom('final', 'canonical', '!final', '!canonical'),
);

const section = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(pattern, { minLength: 1, maxLength: 3 })
      .map((list) => `Host ${list.join(' ')}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(criterion, { minLength: 1, maxLength: 3 })
      .map((list) => `Match ${list.join(' ')}`),
  },
  fc.constantFrom(
    'Match all',
    'match ALL',
    'Match final all',
    'Match host="alpha"',
    'Host "alpha" beta',
    'Host=alpha',
    'Match !all',
  ),
);

const line = fc.oneof(
  { weight: 6, arbitrary: option },
  { weight: 3, arbitrary: section },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '# a comment',
      '   # another',
      'Include inc-*.conf',
      'Include "inc-1.conf" nothing*',
    ),
  },
);

const config = fc.record({
  main: fc.array(line, { maxLength: 14 }),
  included: fc.array(fc.array(line, { maxLength: 6 }), { maxLength: 2 }),
});

function printedBySsh(file: string, host: string): ReadonlyMap<string, readonly string[]> | string {
  const run = spawnSync('ssh', ['-G', '-F', file, host], { encoding: 'utf8' });
  if (run.status !== 0) return run.stderr;
  const values = new Map<string, string[]>();
  for (const printed of run.stdout.split('\n')) {
    const at = printed.indexOf(' ');
    if (at === -1) continue;
    const keyword = printed.slice(0, at);
    values.set(keyword, [...(values.get(keyword) ?? []), printed.slice(at + 1)]);
  }
  return values;
}

function compare(printed: ReadonlyMap<string, readonly string[]>, ours: HostOptions): void {
  const one = (keyword: string) => printed.get(keyword)?.[0];
  expect(ours.hostName).toBe(one('hostname'));
  expect(ours.user ?? userInfo().username).toBe(one('user'));
  expect(String(ours.port ?? 22)).toBe(one('port'));
  if (ours.identityFiles.length > 0)
    expect(ours.identityFiles).toEqual(printed.get('identityfile'));
  else expect(printed.get('identityfile')?.[0]).toBe('~/.ssh/id_rsa');
  expect(ours.certificateFiles).toEqual(printed.get('certificatefile') ?? []);
  expect(ours.proxyCommand === 'none' ? undefined : ours.proxyCommand).toBe(one('proxycommand'));
  const jumps = ours.proxyJump === undefined ? undefined : parseJumps(ours.proxyJump);
  expect(jumps?.length === 0 ? undefined : jumps?.map(formatHop).join(',')).toBe(
    normalJump(one('proxyjump')),
  );
  expect(expanded(ours.values.get('identityagent')?.[0], ours)).toBe(one('identityagent'));
  expect(ours.values.get('hostkeyalias')?.[0]?.toLowerCase()).toBe(one('hostkeyalias'));
  expect(ours.values.get('preferredauthentications')?.[0]).toBe(one('preferredauthentications'));
  for (const keyword of ['userknownhostsfile', 'globalknownhostsfile']) {
    const said = ours.values.get(keyword);
    if (said !== undefined) {
      const files = keyword.startsWith('user') ? said.map((file) => expanded(file, ours)) : said;
      expect(files.join(' ')).toBe(one(keyword));
    } else expect(one(keyword)).toContain('known_hosts2');
  }
  const yes = ['yes', 'true'].includes(ours.values.get('identitiesonly')?.[0]?.toLowerCase() ?? '');
  expect(yes ? 'yes' : 'no').toBe(one('identitiesonly'));
}

/** These ssh prints as it uses them. */
function expanded(text: string | undefined, ours: HostOptions): string | undefined {
  const tokens = {
    hostName: ours.hostName,
    originalHost: ours.name,
    port: ours.port ?? 22,
    user: ours.user ?? userInfo().username,
  };
  const environment = configEnvironment();
  return text === undefined
    ? undefined
    : expandTokens(expandTilde(text, environment), tokens, environment);
}

/** ssh prints hops as it read them, with a port in brackets or not. */
function normalJump(printed: string | undefined): string | undefined {
  return printed === undefined ? undefined : (parseJumps(printed) ?? []).map(formatHop).join(',');
}

describeWith(['sshServer'], 'the same as ssh -G', () => {
  const environment = { ...configEnvironment(), homeFolder: homedir() };

  it('for generated files', () => {
    let compared = 0;
    // `ssh` takes relative includes from the user's ~/.ssh: these are absolute.
    fc.assert(
      fc.property(config, name, ({ main, included }, host) => {
        const place = join(folder, 'generated');
        rmSync(place, { recursive: true, force: true });
        mkdirSync(place);
        const text = (lines: readonly string[]) =>
          `${lines.join('\n').replaceAll(/inc-/g, `${place}/inc-`)}\n`;
        for (const [index, lines] of included.entries()) {
          writeFileSync(join(place, `inc-${index}.conf`), text(lines));
        }
        const file = join(place, 'config');
        writeFileSync(file, text(main));
        const printed = printedBySsh(file, host);
        const ours = evaluateConfig(
          readConfig({ ...environment, configFile: file }),
          { name: host },
          environment,
          () => false,
        );
        // What ssh refuses as a whole has at least to be survived.
        if (typeof printed === 'string') return;
        compared += 1;
        compare(printed, ours);
      }),
      { numRuns: process.env.STALLTRACE_SOAK === undefined ? 400 : 2_000 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
