import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runScript } from '../../src-main/remote/shell/run-script.ts';
import { type LocalTransport, localTransport } from '../support/remote/local-transport.ts';
import { describeWith } from '../support/requirements.ts';

let home: string;
const transports: LocalTransport[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'shell-'));
});
afterEach(() => {
  for (const transport of transports.splice(0)) transport.close();
  rmSync(home, { recursive: true, force: true });
});

function local(options: Parameters<typeof localTransport>[0] = {}): LocalTransport {
  const transport = localTransport({ ...options, env: { HOME: home, ...options.env } });
  transports.push(transport);
  return transport;
}

const signal = new AbortController().signal;
const run = (script: string, words: readonly string[] = [], transport = local()) =>
  runScript(transport, script, words, { signal, timeoutMs: 20_000 });

describeWith(['notWindows'], 'a script', () => {
  test('comes back with its output, byte for byte, and its code', async () => {
    expect(await run('printf "a\\n\\nb"; echo wrong >&2; exit 3')).toEqual({
      ok: true,
      value: { stdout: 'a\n\nb', stderr: 'wrong', code: 3 },
    });
  });

  test('gets words that no shell has read', async () => {
    const words = ["it's", '$HOME', '`id`', 'a  b\nc', '', '*', '!!', '\\', '"', '-n', 'ä', '#'];
    const script = 'printf "%s\\n" "$#"; for word; do printf "<%s>" "$word"; done';
    const ran = await run(script, words);
    expect(ran).toMatchObject({
      value: { stdout: `${words.length}\n${words.map((word) => `<${word}>`).join('')}` },
    });
  });

  test('has an empty standard input and can not eat what follows it', async () => {
    expect(await run('cat; echo end')).toMatchObject({ value: { stdout: 'end\n', code: 0 } });
  });

  test('that sh can not read is said to be none', async () => {
    expect(await run('if then')).toMatchObject({ error: { code: 'no-shell' } });
  });

  test('does not wait for what it leaves running', async () => {
    // It is given 20 s.
    expect(await run('sleep 60 & echo left')).toMatchObject({ value: { stdout: 'left\n' } });
  });

  test('that prints more than 1 MiB is ended', async () => {
    const ran = await run('while :; do printf "%01000d" 1; done');
    expect(ran).toMatchObject({ error: { code: 'no-shell' } });
  });

  test('may print 1 MB', async () => {
    const ran = await run('i=0; while [ $i -lt 1000 ]; do printf "%01000d" 1; i=$((i+1)); done');
    expect(ran.ok && ran.value.stdout.length).toBe(1_000_000);
  });

  test('has its standard error capped and made harmless', async () => {
    const ran = await run(
      'i=0; while [ $i -lt 100 ]; do printf "%01000d" 1 >&2; i=$((i+1)); done; printf "\\033[31mred\\r\\n\\a" >&2',
    );
    if (!ran.ok) throw new Error(ran.error.message);
    expect(ran.value.stderr.length).toBe(32 * 1024);
    expect(ran.value.stderr).toMatch(/1\ufffd\[31mred\n\ufffd$/);
  });

  test('is ended when it takes too long, or is not wanted any more', async () => {
    const transport = local();
    const slow = runScript(transport, 'sleep 60', [], { signal, timeoutMs: 300 });
    expect(await slow).toMatchObject({ error: { code: 'timed-out' } });
    const owner = new AbortController();
    const unwanted = runScript(transport, 'sleep 60', [], { signal: owner.signal });
    setTimeout(() => owner.abort(), 100);
    expect(await unwanted).toMatchObject({ error: { code: 'cancelled' } });
  });

  test('whose link breaks is not taken for a complete one', async () => {
    const transport = local();
    const begun = join(home, 'begun');
    const running = run('echo one; : > "$1"; sleep 60', [begun], transport);
    await expect.poll(() => existsSync(begun)).toBe(true);
    transport.cut();
    expect(await running).toMatchObject({ error: { code: 'link-lost' } });
    expect(await run('echo one', [], transport)).toMatchObject({ error: { code: 'link-lost' } });
  });

  test('waits for a channel', async () => {
    const transport = local({ busy: 3 });
    expect(await run('echo here', [], transport)).toMatchObject({ value: { stdout: 'here\n' } });
    const never = runScript(local({ busy: 1e9 }), 'echo', [], { signal, timeoutMs: 300 });
    expect(await never).toMatchObject({ error: { code: 'timed-out' } });
  });

  test('is fed once it is ready, and only then', async () => {
    const bytes = Buffer.alloc(3_000_000, 'x');
    const ran = await runScript(
      local(),
      // What is fed too soon would come meanwhile.
      'sleep 0.3; echo ready; cat > "$1"; wc -c < "$1"',
      [join(home, 'file')],
      {
        signal,
        feed: {
          after: 'ready\n',
          write: async (stdin) => void stdin.end(bytes),
        },
      },
    );
    expect(ran).toMatchObject({ value: { stdout: 'ready\n3000000\n', code: 0 } });
    expect(readFileSync(join(home, 'file')).equals(bytes)).toBe(true);
  });
});

describe.each([
  ['/bin/sh', '.profile', 'echo noise'],
  ['/bin/bash', '.bashrc', 'echo noise; sleep 60 & printf "no line end"; echo grumble >&2'],
  ['/usr/bin/tcsh', '.cshrc', 'echo "noise with a \'"; alias printf echo; set noclobber'],
  ['/usr/bin/csh', '.cshrc', 'echo noise'],
])('the login shell %s', (shell, file, noise) => {
  test('can print what it likes', async () => {
    writeFileSync(join(home, file), `${noise}\n`);
    // Bash reads its rc file for sshd alone, else where this names it.
    const env = { BASH_ENV: join(home, file), SSH_CLIENT: '127.0.0.1 1 2' };
    const ran = await run('printf \'%s\' "$1"; printf x >&2', ["it's"], local({ shell, env }));
    expect(ran).toEqual({ ok: true, value: { stdout: "it's", stderr: 'x', code: 0 } });
  });
});

describeWith(['notWindows'], 'a host without a shell', () => {
  test.each(['/usr/sbin/nologin', '/bin/false', '/bin/cat'])('is told: %s', async (shell) => {
    const ran = await runScript(local({ shell }), 'echo', [], { signal, timeoutMs: 5000 });
    expect(ran).toMatchObject({ error: { code: 'no-shell' } });
  });

  test('is quoted', async () => {
    const ran = await run('echo', [], local({ shell: '/usr/sbin/nologin' }));
    expect(ran.ok ? '' : ran.error.message).toContain('This account is currently not available.');
  });
});
