import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { ofJob } from '../../src-main/analysis/findings/fixes/of-job.ts';
import { rules } from '../../src-main/analysis/findings/rules.ts';
import { exampleFacts, otherFixes } from '../../src-main/analysis/findings/testing/examples.ts';
import { linesThatMatter } from '../../src-main/shared/text/lines-that-matter.ts';
import { describeWith } from '../support/requirements.ts';

const PYTHON = '/usr/bin/python3';

function support(name: string): string {
  return fileURLToPath(new URL(`../support/${name}`, import.meta.url));
}

const examples = [...rules.map(({ id }) => [id, {}] as const), ...otherFixes];
const snippets = examples.flatMap(([id, changes], at) => {
  const rule = rules.find((each) => each.id === id);
  const facts = exampleFacts(id, changes);
  const judgement = rule?.judge(facts);
  const fix = judgement && ofJob(facts, judgement);
  if (fix === undefined) throw new Error(`${id} proposes nothing on its example`);
  return (['before', 'after'] as const).map((which) => ({
    name: `${id} ${which}${at < rules.length ? '' : ', otherwise'}`,
    language: fix.language,
    code: fix[which],
    // The room of a card.
    lines: linesThatMatter(fix.before, fix[which], { rows: 9, columns: 46 }).code,
  }));
});

const COMPILE = `import json, sys
for snippet in json.load(sys.stdin):
    try:
        compile(snippet["lines"], "lines", "exec")
    except SyntaxError as error:
        print(snippet["name"], error, snippet["lines"], sep="\\n")`;

/** Tracebacks by snippet: those that fail. */
function runPython(code: readonly { name: string; code: string }[]): Record<string, string> {
  const args = [support('run-snippets.py'), support('snippet-setup.py')];
  const run = spawnSync(PYTHON, args, { input: JSON.stringify(code), encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

const broken = [
  { name: 'no such option', code: 'loader = DataLoader(your_dataset, num_worker=2)' },
  { name: 'no import', code: 'os.getpid()' },
  { name: 'no batch', code: 'loader = DataLoader([print, 1], num_workers=1)' },
];

/** Snippets of fixes, each with what has to be true after it: they write all that there is, and ask for no more. */
function checked(python: readonly { name: string; code: string }[]) {
  const codeWith = (...parts: string[]) =>
    python.find(({ code }) => parts.every((part) => code.includes(part)))?.code ?? 'missing';
  const used = 'seen = []\nyour_use_of = seen.append';
  const fetched = codeWith('__getitems__', 'your_fetch_all');
  return [
    {
      name: 'rows are all written',
      code: `${codeWith('writer.submit', 'executemany')}
read = sqlite3.connect("losses.db").execute("SELECT step FROM losses ORDER BY rowid")
assert [step for step, in read] == list(range(8))`,
    },
    {
      name: 'what needs a lock is done for all, in order',
      code: `seen = []
your_locked = seen.extend
${codeWith('writer.submit(your_locked')}
assert [step for step, _ in seen] == list(range(8))`,
    },
    {
      name: 'a sampler in a process of its own gives the same batches, in every epoch',
      // Arrays are not true or false.
      code: `import numpy
your_batch_sampler = [numpy.array([0, 1]), [5], numpy.array([2, 3, 4])]
${codeWith('picked.put(batch)', 'in your_batch_sampler')}
for epoch in range(your_epochs):
    assert [list(batch) for batch in Picked()] == [[0, 1], [5], [2, 3, 4]]
loader = None`,
    },
    {
      name: 'each answer is asked for once, in order',
      code: `asked = []
def ask(step):
    asked.append(step)
${codeWith('asker.submit(ask')}
assert asked == list(range(8)), asked`,
    },
    {
      name: 'what a process beside the loop works out is all used, in order',
      code: `${used}
${codeWith('aside.submit(rank_all')}
assert len(seen) == 8, seen`,
    },
    {
      name: 'values that are fetched together are all used',
      code: `${used}
${codeWith('kept.append(', 'torch.stack(kept)')}
assert len(seen) == 8, seen`,
    },
    {
      name: 'a batch that is fetched at once has its samples in order',
      code: `${fetched}
batch = ${/^class (\w+)/m.exec(fetched)?.[1]}().__getitems__([3, 1])
assert [float(sample[0]) for sample in batch] == [3, 1], batch`,
    },
    {
      name: 'a state is saved as it is',
      code: `${codeWith('on_host(your_state)')}
saved = torch.load(your_path)
assert saved["steps"] == [1, (2, "three")] and torch.equal(saved["model"]["bias"], your_model.bias.cpu())`,
    },
    {
      name: 'files that are packed can be told from their rows',
      code: `${codeWith('np.save("order.npy"', 'your_files')}
assert all((packed[row] == your_read(your_files[index])).all() for row, index in enumerate(np.load("order.npy")))`,
    },
    {
      name: 'tokens that are stored are those of each text',
      code: `your_texts = ["a bb", "ccc", "d ee fff"]
${codeWith('np.save("ends.npy"')}
assert [loader.dataset[index].tolist() for index in range(3)] == [[1, 2], [3], [1, 2, 3]]
loader = None`,
    },
  ];
}

describeWith(['torch'], 'fixes', () => {
  const python = snippets.filter(({ language }) => language === 'python');
  const whole = checked(python);
  let failures: Record<string, string> = {};

  beforeAll(() => {
    // Importing PyTorch takes longer than all the snippets.
    failures = runPython([...python, ...whole, ...broken]);
  });

  test.each(python)('$name runs as it stands', ({ name }) => {
    expect(failures[name] ?? '').toBe('');
  });

  test.each(whole)('$name', ({ name }) => {
    expect(failures[name] ?? '').toBe('');
  });

  test('the lines that a card shows of them are whole statements', () => {
    const broken = { name: 'broken', lines: '    late()\nearly()' };
    const linesOf = (input: object) =>
      spawnSync(PYTHON, ['-c', COMPILE], { input: JSON.stringify(input), encoding: 'utf8' });
    expect(linesOf([broken]).stdout).toContain('broken');
    const { status, stdout, stderr } = linesOf(
      python.map((each) => ({
        ...each,
        lines: each.lines.replaceAll(', …)', ', **x)').replaceAll('…', '*x'),
      })),
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test.each(python.filter(({ name }) => name.includes(' after')))(
    '$name says of each placeholder what it stands for, once',
    ({ code }) => {
      const told = [...code.matchAll(/^# {3}(\w+): (.+)$/gm)];
      const used = new Set(code.replaceAll(/^#.*$/gm, '').match(/\b(?:your_\w+|Your\w+)\b/g));
      expect(told.map(([, name]) => name).toSorted()).toEqual([...used].toSorted());
      expect(told.map(([, , words]) => words)).not.toContain('the object that is called');
    },
  );

  test('no figure is put in place of the job’s own', () => {
    const figures = python.filter(({ code }) => /accuracy|argmax|softmax/.test(code));
    expect(figures.map(({ name }) => name)).toEqual([]);
  });

  test('what does not run would be found', () => {
    expect(failures['no such option']).toContain('num_worker');
    expect(failures['no batch']).toContain('TypeError');
    expect(failures['no import']).toContain('NameError');
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
