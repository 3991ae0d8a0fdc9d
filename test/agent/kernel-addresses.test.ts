import { expect, test } from 'vitest';
import { record } from '../support/agent/agent.ts';
import { query, standIn, value } from '../support/agent/agent-run.ts';
import { describeWith } from '../support/requirements.ts';

/**
 * Where the kernel lies in memory is drawn anew at each start of a machine, so that who attacks it has to
 * guess. A trace is shared: in none of its columns may be an address of the kernel's half.
 */

/**
 * From 0xff00000000000000 on, where the kernel's half begins with five levels of pages, as SQLite's signed
 * integers; what is a little below 0 is a number.
 */
const IS_ADDRESS = (column: string) =>
  `typeof("${column}") IN ('integer', 'real') AND "${column}" BETWEEN -72057594037927936 AND -65536`;
const AS_TEXT = /(^|[^0-9a-f])ff[0-9a-f]{14}($|[^0-9a-f])/i;

function tellsOfKernel(file: string): string[] {
  const told: string[] = [];
  const tables = query(file, `SELECT name FROM sqlite_schema WHERE type = 'table'`);
  for (const table of tables.map(({ name }) => String(name)))
    for (const { name } of query(file, `PRAGMA table_info("${table}")`)) {
      const column = String(name);
      const numbers = `SELECT count(*) FROM "${table}" WHERE ${IS_ADDRESS(column)}`;
      if (value(file, numbers) !== 0) told.push(`${table}.${column}`);
      const texts = `SELECT DISTINCT "${column}" AS text FROM "${table}" WHERE typeof("${column}") = 'text'`;
      for (const { text } of query(file, texts))
        if (AS_TEXT.test(String(text).replaceAll(/0x/gi, ' ')))
          told.push(`${table}.${column}: ${text}`);
    }
  return told;
}

describeWith(['agent', 'bpf'], 'what is written of the kernel', () => {
  test('is names of functions, no place in memory', async () => {
    const profile = ['--profile', 'faults,page-allocs,syscalls,off-cpu-stacks', '--samples', '200'];
    const recording = await record([standIn('account'), '1'], { args: profile });
    expect(recording.code, recording.stderr).toBe(0);
    expect(tellsOfKernel(recording.file)).toEqual([]);
    const kernel = `FROM frame WHERE file = '[kernel]'`;
    expect(value(recording.file, `SELECT count(*) ${kernel}`)).toBeGreaterThan(10);
    expect(
      value(recording.file, `SELECT count(*) ${kernel} AND symbol <> '[kernel]'`),
    ).toBeGreaterThan(10);
    expect(value(recording.file, `SELECT count(*) ${kernel} AND address IS NOT NULL`)).toBe(0);
  });

  test('is as little in a recording that was killed before its frames had names', async () => {
    const recording = await record([standIn('account'), '3'], {
      args: ['--profile', 'off-cpu-stacks'],
      meanwhile: async ({ agent, said }) => {
        await said('progress', /"cpu_sample":\d/, 3);
        agent.kill('SIGKILL');
      },
    });
    expect(tellsOfKernel(recording.file)).toEqual([]);
    const kernel = `SELECT count(*) FROM stack JOIN frame ON frame.id = frame_id WHERE file = '[kernel]'`;
    expect(value(recording.file, kernel)).toBeGreaterThan(10);
  });

  test('is as little where /proc is sampled', async () => {
    const recording = await record([standIn('account'), '0.5'], { args: ['--no-bpf'] });
    expect(recording.code, recording.stderr).toBe(0);
    expect(tellsOfKernel(recording.file)).toEqual([]);
  });
});
