import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuMs } from '../../test/support/cpu-time.ts';
import { withRoles } from '../analysis/roles/roles.ts';
import { summarise } from '../app/trace-process/summarise.ts';
import type { Note } from '../shared/library/note.ts';
import { UNNAMED_HOST } from '../shared/model/hosts.ts';
import type { Trace } from '../shared/model/trace.ts';
import { fakeSummary } from '../timeline/testing/fake-summary.ts';
import { traceArbitrary } from '../trace/testing/trace-arbitrary.ts';
import { privateReport } from './hide-private.ts';
import { fileOnly, hider, hostWord, withoutArguments, withoutCommand } from './private-words.ts';
import { reportFacts } from './report-facts.ts';
import { reportInput } from './testing/report-trace.ts';

const words = {
  hosts: [{ name: 'gpu-box-7.lab.test', word: '‹host›' }],
  users: ['alice', 'Bo'],
  commandLines: ['/usr/bin/python3 /home/alice/train.py --data=/mnt/x --token hunter2 -j 4'],
  folders: ['/srv/My Models/v2'],
};

test.each([
  ['at /home/alice/src/train.py:12', 'at …/train.py:12'],
  ['-I/home/alice/include', '-I…/include'],
  ['File "/opt/conda/lib/python3.11/x.py", line 3', 'File "…/x.py", line 3'],
  ['C:\\Users\\alice\\run\\train.py', '…\\train.py'],
  ['~/runs/train.py and file:///data/sets/a.bin', '…/train.py and …/a.bin'],
  ['/srv/My Models/v2/net.pt', '…/net.pt'],
  ['on GPU-BOX-7 by Alice', 'on ‹host› by ‹user›'],
  ['gpu-box-7.other.test', '‹host›'],
  ['torch_alice_12', 'torch_‹user›_12'],
  ['ssh bob@node3.cluster.org', 'ssh ‹user›@‹host›'],
  ['from 192.168.7.20', 'from ‹host›'],
  ['from [2001:db8:0:1::7f]:29500', 'from [‹host›]:29500'],
  ['via fe80::a1b2%eth0 or fd12:3456::1:29500', 'via ‹host› or ‹host›:29500'],
  ['2001:db8:1:2:3:4:5:6', '‹host›'],
  ['tcp://node3:29500 s3://sets/run.bin', 'tcp://‹host›:29500 s3://‹host›/run.bin'],
  ['https://bob:pw@docs.example.test/a/b?c', 'https://‹user›@‹host›/…/b?c'],
  ['see http://[fd00::7]:8080/x.', 'see http://‹host›:8080/x.'],
  ['file://server/share/x/y.bin', 'file://‹host›/…/y.bin'],
  ['File "/data/a b/c d/e.py", line 3', 'File "…/e.py", line 3'],
  ['"/\\ File "/data/of a long x/y b/c.py", line 1', '"…\\ File "…/c.py", line 1'],
  ['"/data/of a long x/y"/b of a long z/c.py"', '"…/y"…/c.py"'],
  ['\\\\\\ E:\\My Models\\v2\\net.pt', '…\\\\ …\\net.pt'],
  ["'C:\\My Long Run of May\\x\\y.py'", "'…\\y.py'"],
  ['in /data/a b/c.py and ~/my runs/x.py', 'in …/c.py and …/x.py'],
  ['/data/a\\ b/c.py', '…/c.py'],
  ['D:\\My Models\\v2\\net.pt', '…\\net.pt'],
  ['read /data/x/a.bin at 12GB/s', 'read …/a.bin at 12GB/s'],
  ['read /data/x at 9GB/s and/or src/b', 'read …/x at 9GB/s and/or src/b'],
  ['2 files in /mnt/data/ (nfs4 of nas-3:/exports/a).', '2 files in …/ (nfs4 of …).'],
  ['for a server: fuse.sshfs of bob@nas-3:', 'for a server: fuse.sshfs of …'],
  ['ran with --data=/mnt/x and hunter2', 'ran with … and …'],
])('%s reads %s', (text, expected) => {
  expect(hider(words)(text)).toBe(expected);
});

test.each([
  'H2D/D2H 6/8 and/or n/a, 12 GB/s',
  'driver 570.211.01, cuDNN 8.9.2.26',
  'memcpy@GLIBC_2.14 free@plt',
  'a bold claim about malice',
  'src/models/net.py',
  'c10::add at::native::copy_ std::fe::add',
  'at 12:30:45, 2026:11:21, 1:2 of a::b',
  "it's n/a, 'H2D/D2H' and '/s'",
])('%s tells nothing of the machine', (text) => {
  expect(hider(words)(text)).toBe(text);
});

const operation = {
  ...{ source: 'CUDA', name: 'sync', direction: null, count: 1, bytes: 0 },
  ...{ totalNs: 1, p50Ns: 1, p95Ns: 1, p99Ns: 1, maxNs: 1 },
};

test('of a capture that is to be repeated, what it runs and where is left out', () => {
  const capture = 'stalltrace capture HOST --duration 60s';
  const given = " --folder '/data -- x' --env A=b -- 'python train.py -- --site secret'";
  expect(withoutCommand(`${capture}${given}`)).toBe(`${capture} -- COMMAND…`);
  expect(withoutCommand(`${capture} --pid PID`)).toBe(`${capture} --pid PID`);
});

test('each of several hosts has a word of its own, wherever it stands', () => {
  const names = ['node-a.lab.test', 'node-b.lab.test', 'node-b.other.test', 'node-a.lab.test'];
  const hosts = names.map((name, at) => ({ name, word: hostWord(at, names.length) }));
  const hide = hider({ ...words, hosts });
  expect(hide('pid 7 on node-a, pid 7 on NODE-B.lab.test; node-b.other.test')).toBe(
    'pid 7 on ‹host 1›, pid 7 on ‹host 2›; ‹host 3›',
  );
  expect(hide('tcp://node-b:29500 alice@node-a:~/x tcp://elsewhere:1 at 10.1.2.3')).toBe(
    'tcp://‹host 2›:29500 ‹user›@‹host 1›:~/x tcp://‹host›:1 at ‹host›',
  );
});

test('a report of several hosts numbers them, and says which words stand for them', () => {
  const { summary, facts } = reportInput();
  const hosts = ['gpu-a', 'gpu_b', UNNAMED_HOST].map((hostname) => ({ hostname }));
  const operations = hosts.map(({ hostname }) => ({ ...operation, host: hostname }));
  const several = { ...fakeSummary({}), ...summary, hosts };
  const input = {
    ...reportInput(),
    summary: several,
    facts: { ...facts, operations },
    notes: [note('gpu_b is slower than gpu-a')],
  };
  const text = privateReport(input, several, { host: 'gpu-a', user: 'alice' });
  expect(text).toContain('| ‹host 1› | `sync` |');
  expect(text).toContain('| ‹host 2› | `sync` |');
  expect(text).toContain(`| ${UNNAMED_HOST} | \`sync\` |`);
  expect(text).toContain('‹host 2› is slower than ‹host 1›');
  expect(text).toContain('`‹host 1›`, `‹host›` and `‹user›` stand for them');
  expect(text).not.toMatch(/gpu-a|gpu\\?_b/);
});

test('a long word takes no longer than long prose', () => {
  const hide = hider({ hosts: [], users: [], commandLines: [], folders: [] });
  const spentMs = cpuMs(() => {
    for (const word of ['a.', 'a-', '+', 'a@', '/a ', 'a:', '"/a', '/!', 'fe80:'])
      hide(word.repeat(50_000));
  });
  expect(spentMs).toBeLessThan(2_000);
  expect(hide('see -alice.b@gpu-7.lan:/x')).toBe('see ‹user›@‹host›:/x');
});

test('a name loses its arguments, a file its folders', () => {
  expect(withoutArguments('python train.py --lr 1 (tid 7)')).toBe('python train.py … (tid 7)');
  expect(withoutArguments('Web Content')).toBe('Web Content');
  expect(fileOnly('/a/b c/train.py')).toBe('…/train.py');
  expect(fileOnly('train.py')).toBe('train.py');
});

/** Fields that are looked up or written as they are: no text of a user's machine. */
const OWN = new Set(['role', 'kind', 'language', 'severity', 'level', 'format']);

/** `value` with `secret` placed in every text of it. */
function tainted<T>(value: T, secret: (key: string, text: string) => string, key = ''): T {
  if (typeof value === 'string') return (OWN.has(key) ? value : secret(key, value)) as T;
  if (ArrayBuffer.isView(value) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => tainted(each, secret, key)) as T;
  const entries = Object.entries(value).map(([name, each]) => [name, tainted(each, secret, name)]);
  return Object.fromEntries(entries) as T;
}

const token = fc.stringMatching(/^[a-z][a-z0-9]{4,11}$/).map((text) => `q${text}7z`);
const group = fc.stringMatching(/^[1-9a-f][0-9a-f]{3}$/);
/** `site` and `address` are named nowhere but where they are hidden for how they are written. */
const secrets = fc.record({
  host: token,
  user: token,
  folder: token,
  argument: token,
  site: token,
  address: fc.tuple(group, group).map((groups) => groups.join(':')),
});
const note = (text: string): Note => ({
  id: '0',
  kind: 'note',
  text,
  startNs: 1,
  endNs: 2,
  createdAt: '',
  updatedAt: '',
});

test('no host, user, folder or argument is left, wherever it stood', () => {
  fc.assert(
    fc.property(traceArbitrary, secrets, fc.nat(11), (plain, secret, at) => {
      const { host, user, folder, argument, site, address } = secret;
      const spellings = [
        `on ${host.toUpperCase()}.lab by ${user}`,
        `/home/${user}/${folder}/train.py`,
        `(${user}@${host}:~/${folder}/x)`,
        `C:\\Users\\${user}\\${folder}\\y.py`,
        `"/data/${folder}/a/b.bin" ${host}_1`,
        `x --${argument}=1 --run-${argument}`,
        `tcp://${site}.lan:29500/${folder}/a/x.bin`,
        `s3://me:${folder}@${site.toUpperCase()}/run.bin`,
        `from [fd00:${address}::1]:80 and 2001:db8::${address}`,
        `File "/data/of a long ${folder}/${site} b/c.py", line 1`,
        `/data/my ${folder}/${site} run/c.py`,
        `E:\\My ${folder}\\${site} run\\c.py`,
      ];
      const place = (key: string, text: string): string => {
        if (key === 'hostname') return host;
        if (key === 'commandLine')
          return `python /home/${user}/a.py --${argument}=1 --run-${argument}`;
        if (key === 'file') return `/srv/my ${folder}/deep/${text.replace(/[/\\]/g, '')}`;
        return `${text} ${spellings[at]}`;
      };
      const trace: Trace = withRoles(tainted(plain, place));
      const known = tainted({ commandLine: '' }, place);
      const [first, ...rest] = trace.processes;
      const withCommand = first && { ...trace, processes: [{ ...first, ...known }, ...rest] };
      const summary = {
        ...summarise(withCommand ?? trace),
        hosts: [{ ...trace.hosts[0], hostname: host }],
      };
      const facts = reportFacts(trace, summary, { range: { startNs: 0, endNs: 2 ** 50 } });
      const all = spellings.map((text) => note(`see **${text}**\n\n    ${text}\n\n\`${text}\``));
      const input = {
        name: `${spellings[at]}.db`,
        summary,
        facts,
        notes: all,
        version: '1',
        hidden: false,
        isAboutCall: true,
        long: true,
      };
      const text = privateReport(input, summary, { host: 'viewer-host', user }).toLowerCase();
      for (const word of Object.values(secret)) expect(text).not.toContain(word);
      expect(text).toContain('were hidden');
    }),
    { numRuns: 150 },
  );
});
