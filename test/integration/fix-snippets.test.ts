import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { rules } from '../../src-main/analysis/findings/rules.ts';
import { exampleFacts } from '../../src-main/analysis/findings/testing/examples.ts';
import { describeWith } from '../support/requirements.ts';

const PYTHON = '/usr/bin/python3';

function support(name: string): string {
  return fileURLToPath(new URL(`../support/${name}`, import.meta.url));
}

const snippets = rules.flatMap((rule) => {
  const fix = rule.judge(exampleFacts(rule.id))?.fix;
  if (fix === undefined) return [];
  return (['before', 'after'] as const).map((which) => ({
    name: `${rule.id} ${which}`,
    language: fix.language,
    code: fix[which],
  }));
});

/** Tracebacks by snippet: those that fail. */
function runPython(code: readonly { name: string; code: string }[]): Record<string, string> {
  const args = [support('run-snippets.py'), support('snippet-setup.py')];
  const run = spawnSync(PYTHON, args, { input: JSON.stringify(code), encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

const broken = [
  { name: 'no such option', code: 'loader = DataLoader(dataset, num_worker=2)' },
  { name: 'no batch', code: 'loader = DataLoader([print, 1], num_workers=1)' },
];

describeWith(['torch'], 'fixes', () => {
  const python = snippets.filter(({ language }) => language === 'python');
  let failures: Record<string, string> = {};

  beforeAll(() => {
    // Importing PyTorch takes longer than all the snippets.
    failures = runPython([...python, ...broken]);
  });

  test.each(python)('$name runs as it stands', ({ name }) => {
    expect(failures[name] ?? '').toBe('');
  });

  test('what does not run would be found', () => {
    expect(failures['no such option']).toContain('num_worker');
    expect(failures['no batch']).toContain('TypeError');
  });
});

describeWith(['notWindows'], 'fixes in shell', () => {
  test('every snippet is one that a shell can read', () => {
    const failures = snippets
      .filter(({ language }) => language === 'shell')
      .map(({ name, code }) => ({ name, ...spawnSync('sh', ['-n'], { input: code }) }))
      .filter(({ status }) => status !== 0);
    expect(failures.map(({ name, stderr }) => `${name}: ${stderr}`)).toEqual([]);
  });
});
