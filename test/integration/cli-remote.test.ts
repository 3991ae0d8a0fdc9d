import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';

/** What the command line says of hosts before it reaches one; with a real host: test/remote/. */

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-cli-remote-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: readonly string[]) {
  return runCli(args, folder, { STALLTRACE_DATA_DIR: join(folder, 'data'), HOME: folder });
}

const COMMANDS = ['check', 'capture', 'captures', 'clean'];

describe('the commands for hosts', () => {
  test.each(COMMANDS)('%s explains itself', (command) => {
    const { code, stdout, stderr } = run(command, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: stalltrace ${command}`));
    expect(stdout.split('\n').every((line) => line.length <= 100)).toBe(true);
    expect(run('--help').stdout).toContain(`\n  ${command} `);
  });

  test('say in one sentence what is wrong with a command line', () => {
    const wrong = [
      ['check'],
      ['check', 'a', 'b'],
      ['check', 'a', '-p', 'x'],
      ['check', 'a', '--wrong'],
      ['capture', 'a'],
      ['capture', 'a', '--pid', 'x'],
      ['capture', 'a', '--all', '--duration', '5'],
      ['captures', '--bring', 'xyz'],
      ['captures', '--bring', '0123', '--stop', '0123'],
      ['captures', 'a'],
      ['clean'],
    ];
    for (const args of wrong) {
      const { code, stdout, stderr } = run(...args);
      expect(code, args.join(' ')).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(
        new RegExp(`^stalltrace: [^\n]*; see stalltrace ${args[0]} --help\\.\n$`),
      );
    }
  });

  test('list no captures where there are none', () => {
    expect(run('captures')).toMatchObject({ code: 0, stderr: '' });
    expect(run('captures').stdout).toBe(
      'No capture runs, and none has a trace left to bring back.\n',
    );
    expect(JSON.parse(run('captures', '--json').stdout)).toEqual({ event: 'runs', runs: [] });
    const unknown = run('captures', '--bring', '0123abcd');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/^stalltrace: There is no capture 0123abcd: [^\n]*\n$/);
  });

  test('name a host that cannot be meant, and one that is not there', () => {
    const strange = run('check', 'ssh -Z nonsense');
    expect(strange).toMatchObject({ code: 1, stdout: '' });
    expect(strange.stderr).toMatch(/^stalltrace: [^\n]*\n$/);
    const refused = run('check', 'nobody@127.0.0.1:1', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      event: 'error',
      error: { code: 'connection-refused' },
    });
  });

  test('write over no file that is there', () => {
    const { code, stderr } = run('capture', 'a', '--all', '--out', folder);
    expect(code).toBe(1);
    expect(stderr).toMatch(/is no plain file/);
  });
});
