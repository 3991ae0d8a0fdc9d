import { describe, expect, test } from 'vitest';
import { hostTimeLines } from '../../../shared/words/host-time-words.ts';
import { claimCells, totalCost } from '../claim-costs.ts';
import type { RankFacts } from '../facts/facts.ts';
import { gainBound } from '../gain-bound.ts';
import { hostBreakdown } from '../host-breakdown.ts';
import { rules } from '../rules.ts';
import { buildFacts, cell, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import {
  askedProgramPlan,
  hostPlan,
  pollingPlan,
  SYSCALL,
  textPlan,
  waitRows,
} from '../testing/host-examples.ts';
import { stackNumber } from '../testing/sampled.ts';

/** Rules about what the training thread does outside of CUDA calls and of the loader. */

const judged = (facts: RankFacts) =>
  rules.flatMap((rule) => {
    const judgement = rule.judge(facts);
    return judgement === undefined ? [] : [{ id: rule.id, judgement }];
  });
const judgementOf = (id: string, facts = exampleFacts(id)) =>
  judged(facts).find((each) => each.id === id)?.judgement;

describe.each<[string, string, string]>([
  ['checkpoint', 'saves in keep (train.py:70)', 'every 20 steps'],
  ['slow-output', 'its own output in tell (train.py:74)', 'every 2 steps'],
  ['garbage-collection', 'collects garbage in tidy (train.py:78)', ''],
  ['host-metrics', 'on the CPU in rank_all (train.py:82)', ''],
  ['compiling', 'again and again in answer (train.py:72)', ''],
  ['evaluation', 'is evaluated in compare (train.py:85)', ''],
  [
    'subprocess-wait',
    'waits for gzip, which it started in compress (train.py:92)',
    'every 4 steps',
  ],
  ['sleep', 'sleeps in pause (train.py:98)', 'every 4 steps'],
  ['producer', 'processes of the job make in take (train.py:96)', 'every 4 steps'],
  ['thread-lock', 'of its process in hand_over (train.py:95)', 'every 4 steps'],
  ['host-data-movement', 'ready for the GPU in ready (train.py:99)', ''],
])('%s', (id, title, often) => {
  const facts = exampleFacts(id);
  const judgement = judgementOf(id, facts);

  test('says where, how often and for how long', () => {
    expect(judgement?.title).toContain(title);
    expect(judgement?.sentence).toContain(often);
    expect(judgement?.sentence).toMatch(/spent [\d.]+ m?s \([\d.]+ % of the time\)/);
    expect(judgement?.confidence).toBe('likely');
    expect(judgement?.culprit).toBe(/in (\w+) \([\w.]+:\d+\)$/.exec(title)?.[1]);
  });

  test('is the only one to claim that time, and bounds what can be won by no less', () => {
    const claims = claimCells(judged(facts), facts.costs);
    const own = claims.filter(({ cells }) => cells.length > 0);
    expect(own.map((claim) => claim.id)).toEqual([id]);
    const costNs = totalCost(own[0]?.cells ?? []);
    if (judgement === undefined) throw new Error('it did not fire');
    expect(gainBound(facts, judgement)?.gainUpToNs).toBeGreaterThanOrEqual(costNs);
  });
});

const GOES_ON = stackNumber('resumed');

test('a sleep of an event loop is told as one, with who goes on after it', () => {
  const judgement = (shown: 'sleeping' | 'dozing', resumed: readonly number[] = []) => {
    const waits = { count: 25, everyNs: 400 * MS, durationNs: 90 * MS, syscall: 232 };
    const rows = waitRows({ ...waits, wakerContext: 4, shown });
    const cuda_call = resumed.flatMap((wait) => [
      { startNs: (wait * 400 + 95) * MS, durationNs: MS, thread: 0, layer: 1, op: 0, stack: -1 },
      {
        startNs: (wait * 400 + 97) * MS,
        durationNs: MS,
        thread: 0,
        layer: 1,
        op: 0,
        stack: GOES_ON,
      },
    ]);
    const plan = hostPlan('sleep', { sleeping: SECOND }, {}, rows);
    const trace = { ...plan.trace, rows: { ...plan.trace?.rows, cuda_call } };
    return judgementOf('sleep', buildFacts({ ...plan, trace }));
  };
  const most = Array.from({ length: 20 }, (_, wait) => wait);
  expect(judgement('dozing')?.sentence).toContain(
    'sleeping, until a time that it set itself in serve (train.py:99)',
  );
  expect(judgement('dozing')?.sentence).toContain(
    'which one, no stack shows. Look for asyncio.sleep',
  );
  expect(judgement('dozing', most)?.sentence).toContain(
    'The next CUDA call after 20 of 25 of these waits came from Batcher.fill (train.py:112): look there first, and in what it awaits, for',
  );
  // Of less than most of the waits it says nothing.
  expect(judgement('dozing', most.slice(0, 10))?.sentence).toContain('shows. Look for');
  expect(judgement('sleeping')?.sentence).not.toContain('asyncio');
});

test('a sleep while a process of the job computes is told as a wait for that, one beside an idle process is not', () => {
  const judgement = (samples: number) => judgementOf('sleep', buildFacts(pollingPlan(samples)));
  const busy = judgement(400);
  expect(busy?.sentence).toMatch(
    /Meanwhile gzip \(pid 300\), a process of the job, computed for about (100|9\d(\.\d)?) % of that, mostly in merge_boxes \(train\.py:57\): where the loop looks whether that is done/,
  );
  expect(busy?.title).toMatch(
    /sleeps in pause \(train\.py:98\) while merge_boxes runs in another process$/,
  );
  expect(busy?.fix.title).toContain('Make what merge_boxes (train.py:57) does quicker');
  expect(judgement(120)?.sentence).not.toContain('Meanwhile');
  expect(judgement(120)?.fix.title).toContain('Take the sleep');
});

test('a program that goes on running and is waited for at each step is asked in a thread', () => {
  const fixOf = (syscall: number, count: number) => {
    const waits = waitRows({
      ...{ count, everyNs: 400 * MS, durationNs: 90 * MS, syscall },
      ...{ waker: 2, wakerContext: 1, shown: 'waitingForChild' },
    });
    const ns = count * 90 * MS;
    return judgementOf(
      'subprocess-wait',
      buildFacts(hostPlan('subprocess-wait', { sleeping: ns }, {}, waits)),
    )?.fix.title;
  };
  expect(fixOf(SYSCALL.read, 25)).toContain('Ask gzip in a thread, while the GPU works');
  expect(fixOf(SYSCALL.wait4, 25)).toContain('Start the program and go on');
  expect(fixOf(SYSCALL.read, 5)).toContain('Start the program and go on');
});

test('the program that answers is asked by the function that waits for it', () => {
  const found = judgementOf('subprocess-wait', buildFacts(askedProgramPlan));
  expect(found?.fix.after).toContain('[compress(line) for line in lines]');
  expect(found?.fix.text).not.toContain('DataLoader');
});

test('text that is saved goes to another process, a model to a thread', () => {
  const fixOf = (spelling: number, saving: number) =>
    judgementOf(
      'checkpoint',
      buildFacts(hostPlan('checkpoint', { running: SECOND }, { spelling, saving }, [])),
    )?.fix.title;
  expect(fixOf(40, 5)).toContain('another process write the text');
  expect(fixOf(5, 40)).toContain('Save in the background');
});

test('who is on the other side is named, with what it did', () => {
  expect(judgementOf('slow-output')?.sentence).toContain('It is read by tee (pid 301)');
  expect(judgementOf('subprocess-wait')?.sentence).toContain('it waited for gzip (pid 300)');
  const lock = exampleFacts('thread-lock');
  expect(judgementOf('thread-lock', lock)?.sentence).toContain('waited for refresher (thread 107)');
  expect(judgementOf('checkpoint')?.sentence).toContain('the disk: /data/model.pt (ext4)');
});

test('the holder of a lock was asleep meanwhile, where that was recorded', () => {
  const lock = { syscall: SYSCALL.futex, waker: 1, wakerContext: 1 };
  const rows = [
    ...waitRows({ ...lock, count: 25, everyNs: 400 * MS, durationNs: 90 * MS }),
    ...waitRows({
      ...{ count: 25, everyNs: 400 * MS, durationNs: 80 * MS, thread: 1 },
      ...{ syscall: SYSCALL.nanosleep, wakerContext: 4 },
    }),
  ].sort((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
  const facts = buildFacts(hostPlan('thread-lock', { lock: 2.25 * SECOND }, {}, rows));
  expect(judgementOf('thread-lock', facts)?.sentence).toContain(
    'Meanwhile that was asleep, waiting for a timer: it slept on purpose.',
  );
});

describe('two causes in one loop', () => {
  const saving = hostPlan('checkpoint', {}, { saving: 60, scoring: 40 }, []);
  const facts = buildFacts({
    ...saving,
    costs: [
      cell('other', 'main', 'running', 3 * SECOND, { activity: 'checkpoint' }),
      cell('other', 'main', 'running', 2 * SECOND, { activity: 'host-metrics' }),
      cell('other', 'main', 'running', 0.5 * SECOND),
    ],
  });

  test('are told both, each with its own time', () => {
    const claims = claimCells(judged(facts), facts.costs).filter(({ cells }) => cells.length > 0);
    expect(claims.map(({ id, cells }) => [id, totalCost(cells)])).toEqual([
      ['checkpoint', 3 * SECOND],
      ['host-metrics', 2 * SECOND],
    ]);
  });

  test('name their own functions', () => {
    expect(['checkpoint', 'host-metrics'].map((id) => judgementOf(id, facts)?.culprit)).toEqual([
      'keep',
      'rank_all',
    ]);
  });

  test('may each be as much as the samples leave open, and what has no kind', () => {
    const judgement = judgementOf('host-metrics', facts);
    if (judgement === undefined) throw new Error('it did not fire');
    const bound = gainBound(facts, judgement)?.gainUpToNs ?? 0;
    expect(bound).toBeGreaterThan(2.5 * SECOND);
    expect(bound).toBeLessThan(4 * SECOND);
  });

  test('are both in the lines of the other time', () => {
    const hostTime = hostBreakdown(facts);
    expect(hostTime?.parts.map(({ kind, place }) => [kind, place])).toEqual([
      ['checkpoint', 'keep (train.py:70)'],
      ['host-metrics', 'rank_all (train.py:82)'],
    ]);
    if (hostTime === undefined) throw new Error('no lines');
    const { steps, inputKnown } = facts;
    const [title, first] = hostTimeLines({ steps, inputKnown, hostTime });
    expect(title).toBe('Other host time, 55.0 % (5.500 s), by line of code:');
    expect(first).toMatch(/ in keep \(train\.py:70\): saving, on a CPU, or waiting for one$/);
  });
});

test('the lines of the other time say how often, where that is known', () => {
  const facts = exampleFacts('sleep');
  const hostTime = hostBreakdown(facts);
  if (hostTime === undefined) throw new Error('no lines');
  const [, first] = hostTimeLines({ steps: facts.steps, inputKnown: true, hostTime });
  expect(first).toMatch(/ in pause \(train\.py:98\), every 4 steps: sleeping on purpose, asleep,/);
});

test('values that are made into text are told as that, whoever reads them', () => {
  const judgement = judgementOf('slow-output', buildFacts(textPlan));
  expect(judgement?.title).toBe(
    'The training loop makes values into text in describe (train.py:76)',
  );
  expect(judgement?.fix.title).toBe('Make text only of what is shown, and of few values');
});

describe('a wait of a kind that no rule knows', () => {
  const read = { syscall: 0, file: 0, waker: 3, wakerContext: 1 };
  const rows = waitRows({ ...read, count: 30, everyNs: 100 * MS, durationNs: 90 * MS });
  // A file system of a program.
  const names = { names: [['', '/mnt/flags (fuse)']] } as const;
  const asleep = (waits: typeof rows, ns = 2.7 * SECOND) =>
    hostPlan('none', { sleeping: ns }, {}, waits, names);
  const plan = asleep(rows);

  test('is told with what it was for and who ended it', () => {
    const judgement = judgementOf('host-work', buildFacts(plan));
    expect(judgement?.title).toBe(
      'The training loop is asleep, waiting for /mnt/flags (fuse), in read',
    );
    expect(judgement?.sentence).toContain('for 2.700 s (27.0 % of the time)');
    expect(judgement?.sentence).toContain('Mostly tee (pid 301) ended these waits.');
  });

  test('is told with what that one did meanwhile, where it is seen', () => {
    const sleeps = { thread: 3, syscall: 35, count: 30, everyNs: 100 * MS, durationNs: 80 * MS };
    const both = [...rows, ...waitRows({ ...sleeps, startNs: MS })];
    const judgement = judgementOf('host-work', buildFacts(asleep(both)));
    expect(judgement?.sentence).toContain('these waits; meanwhile it was asleep, waiting for a');
  });

  test('is not told where it may be input, of a server, or where it is little', () => {
    const facts = buildFacts(plan);
    expect(judgementOf('host-work', { ...facts, inputKnown: false })).toBeUndefined();
    const serving = { ...facts, steps: { ...facts.steps, serves: true as const } };
    expect(judgementOf('host-work', serving)).toBeUndefined();
    const little = buildFacts(asleep(rows.slice(0, 10), 0.9 * SECOND));
    expect(judgementOf('host-work', little)).toBeUndefined();
  });
});

describe('a healthy loop', () => {
  test('that saves and logs a little now and then is told of nothing', () => {
    const costs = [
      cell('other', 'main', 'running', 60 * MS, { activity: 'checkpoint' }),
      cell('other', 'main', 'sleeping', 30 * MS, { activity: 'slow-output' }),
      cell('other', 'main', 'running', 200 * MS),
      cell('other', 'main', 'sleeping', 200 * MS, { activity: 'loader' }),
      cell('other', 'main', 'lock', 900 * MS, { activity: 'helper' }),
    ];
    const facts = buildFacts({
      ...hostPlan('none', {}, { saving: 3, step: 10 }, []),
      costs,
    });
    expect(judged(facts).map(({ id }) => id)).toEqual([]);
  });

  test('of which a few samples may be chance is told of nothing by them', () => {
    const facts = buildFacts(
      hostPlan('host-metrics', { running: 0.3 * SECOND }, { scoring: 4 }, []),
    );
    expect(judgementOf('host-metrics', facts)).toBeUndefined();
  });
});

test.each(['sleep', 'producer', 'thread-lock'])(
  'a server that waits, by its %s, is told of nothing',
  (id) => {
    const facts = exampleFacts(id);
    const serving = { ...facts, steps: { ...facts.steps, serves: true as const } };
    expect(judgementOf(id, serving)).toBeUndefined();
  },
);

test('time without a CPU is never told as what the thread was about to do', () => {
  const facts = buildFacts({
    ...hostPlan('checkpoint', {}, { saving: 60 }, []),
    costs: [cell('other', 'main', 'runnable-other', 3 * SECOND, { activity: 'checkpoint' })],
  });
  expect(judgementOf('checkpoint', facts)).toBeUndefined();
});
