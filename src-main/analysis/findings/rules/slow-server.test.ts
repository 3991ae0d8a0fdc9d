import { describe, expect, test } from 'vitest';
import { claimCells } from '../claim-costs.ts';
import { inLoaderAndLoop } from '../judging/loader-and-loop.ts';
import { rules } from '../rules.ts';
import { buildFacts, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { fedPlan, KILLABLE, OPEN, READ, WRITE } from '../testing/fed-plan.ts';
import { loopServerPlan } from '../testing/host-examples.ts';
import { slowServer } from './slow-server.ts';

const EPOLL_WAIT = 232;

/** One worker that sleeps in `syscall` on `file`, and is woken by thread `waker`. */
function judge(
  file: string,
  waker: number,
  more: Parameters<typeof buildFacts>[0] = {},
  syscall?: number,
) {
  const plan = fedPlan({ file, wakers: [waker], ...(syscall !== undefined && { syscall }) });
  return slowServer.judge(buildFacts({ ...plan, ...more }));
}

test('a server is named by its address, with how long it takes', () => {
  const judgement = slowServer.judge(exampleFacts('slow-server'));
  expect(judgement?.title).toBe('Batches wait for a server: 10.0.0.2:6379');
  expect(judgement?.culprit).toBe('10.0.0.2:6379');
  expect(judgement?.sentence).toBe(
    'The workers waited 8.800 s in all (55.0 % of the making of batches) for 10.0.0.2:6379: 400 waits for an answer of 20.00 ms (median), 40.00 ms (95th percentile). The training loop waited 3.000 s for that.',
  );
});

test('one on the same machine by its process', () => {
  const judgement = judge('socket to 127.0.0.1:6379 (ffmpeg, pid 900)', -1);
  expect(judgement?.title).toBe('Batches wait for a server: ffmpeg (pid 900) at 127.0.0.1:6379');
  expect(judgement?.fix.text).toContain('record it too');
});

test('who feeds a pipe is named by who woke the reader', () => {
  expect(judge('pipe', 2)?.culprit).toBe('ffmpeg');
  expect(judge('pipe', 2)?.title).toBe('Batches wait for ffmpeg (pid 900)');
  expect(judge('/data/shard (named pipe)', 2)?.sentence).toMatch(
    /for ffmpeg \(pid 900\), which feeds \/data\/shard \(named pipe\): 200 waits for data of 30/,
  );
  // One that the training process has started.
  const rank = { processes: [0, 1, 2] };
  expect(judge('pipe', 2, { rank })?.title).toBe('Batches wait for ffmpeg (pid 900)');
  // Their own training process asks them for batches.
  expect(judge('pipe', 0)).toBeUndefined();
});

test('programs that are started one after another are one cause, with the time of all', () => {
  const facts = buildFacts({
    ...fedPlan({ wakers: [2, 3, 4, 2], parent: 1 }),
    rank: { processes: [0, 1] },
  });
  const judgement = slowServer.judge(facts);
  expect(judgement?.title).toBe('Batches wait for ffmpeg (pid 900) and 2 more like it');
  expect(judgement?.sentence).toMatch(
    /^The workers waited 6\.000 s in all .* for ffmpeg \(pid 900\) and 2 more like it: 200 waits for data/,
  );
  expect(judgement?.evidence.map(({ text }) => text).join()).not.toContain('Besides');
  expect(judgement?.fix.title).toMatch(/^Start the programs before/);
  // Who feeds a named pipe is not started for a file.
  expect(judge('/data/shard (named pipe)', 2)?.fix.title).toMatch(/^Keep what the program writes/);
});

test('who waits for room to write is told to write less', () => {
  const judgement = judge('pipe', 2, {}, WRITE);
  expect(judgement?.sentence).toContain('200 waits for room to send');
  expect(judgement?.fix.title).toBe('Have the workers write less to what ffmpeg (pid 900) reads');
});

test('who is asked before a file is opened is named', () => {
  const asked = (state: number) =>
    slowServer.judge(buildFacts(fedPlan({ syscall: OPEN, state, file: '' })));
  expect(asked(KILLABLE)?.title).toBe('Batches wait for ffmpeg (pid 900)');
  expect(asked(KILLABLE)?.sentence).toContain('200 waits for an answer of 30.00 ms');
  expect(asked(KILLABLE)?.fix.title).toMatch(/^Exclude the data folder from what ffmpeg/);
  // As for a folder in which somebody else makes a file: nobody was asked.
  expect(asked(2)).toBeUndefined();
});

test('one that asyncio waits for is inferred: epoll says only what it watches', () => {
  const asked = (syscall: number) => judge('socket to 10.0.0.2:6379', -1, {}, syscall);
  expect(asked(READ)?.confidence).toBe('proven');
  const judgement = asked(EPOLL_WAIT);
  expect(judgement?.confidence).toBe('likely');
  expect(judgement?.evidence.map(({ basis }) => basis)).toEqual(['inferred', 'inferred']);
  expect(judgement?.evidence[0]?.text).toContain('nothing else can have ended');
});

test('is silent where they slept for something else mostly', () => {
  const workers = [{ cycles: { sleeping: 13 * SECOND } }];
  expect(judge('socket to 10.0.0.2:6379', -1, { workers })).toBeUndefined();
  expect(judge('/data/x (ext4)', -1)).toBeUndefined();
});

test('is silent where the answers were quick', () => {
  const workers = [{ cycles: { sleeping: 6 * SECOND }, batches: 10_000 }];
  expect(judge('socket to 10.0.0.2:6379', -1, { workers })).toBeUndefined();
});

test('is silent where the loop did not wait for it', () => {
  expect(judge('socket to 10.0.0.2:6379', -1, { costs: [] })).toBeUndefined();
});

test('a worker that waits for its pool of threads waits for the server that these ask', () => {
  const at = Array.from({ length: 200 }, (_, turn) => turn * 50 * MS);
  const wait = { durationNs: 30 * MS, state: 1, runQueueNs: 0 };
  const lock = { ...wait, thread: 1, syscall: 202, file: -1, waker: 2, wakerContext: 1 };
  const answer = { ...wait, thread: 2, syscall: READ, file: 0, waker: -1, wakerContext: 2 };
  const judgement = judge('socket to 10.0.0.2:6379', -1, {
    trace: {
      names: [['', 'socket to 10.0.0.2:6379']],
      machine: { cpuModel: 'Intel Xeon' },
      processes: [
        { pid: 100, name: 'python3', role: 'main' },
        { pid: 101, name: 'python3', role: 'dataloader-worker', parent: 0 },
      ],
      threads: [0, 1, 1].map((process, thread) => ({ tid: 100 + thread, process, name: 'x' })),
      rows: {
        off_cpu: at.flatMap((startNs) => [
          { ...lock, startNs },
          { ...answer, startNs: startNs + 1 },
        ]),
      },
    },
  });
  expect(judgement?.title).toBe('Batches wait for a server: 10.0.0.2:6379');
  expect(judgement?.sentence).toContain('200 waits for an answer of 30.00 ms (median)');
});

describe('the training loop itself', () => {
  const asks = (plan = loopServerPlan) => slowServer.judge(buildFacts(plan));

  test('is told of less than a tenth of the time, with where, for whom, how long and how often', () => {
    const judgement = asks();
    expect(judgement?.title).toBe(
      'The training loop waits for tee (pid 301) at 127.0.0.1:6379 in ask (train.py:101)',
    );
    expect(judgement?.culprit).toBe('ask');
    expect(judgement?.sentence).toBe(
      'The training loop spent 500.0 ms (5.0 % of the time) on waiting for tee (pid 301) at 127.0.0.1:6379 in ask (train.py:101), every 4 steps. 25 waits for an answer of 20.00 ms (median), 20.00 ms (95th percentile). Meanwhile tee (pid 301) at 127.0.0.1:6379 was asleep in look_up (server.py:9), waiting for a timer: it slept on purpose.',
    );
    expect(judgement?.fix.text).toContain('see above what it does');
  });

  test('leaves more CPUs to all else where the server is on this machine and they are scarce', () => {
    const reach = (idleShare: number) => {
      const facts = buildFacts(loopServerPlan);
      return slowServer.judge({ ...facts, cpus: { ...facts.cpus, idleShare } })?.gain;
    };
    expect(reach(0.1)).toEqual({ reach: 'waits' });
    expect(reach(0.5)).toEqual({ reach: 'own' });
  });

  test('is one cause of its time: no other rule claims it', () => {
    const facts = buildFacts(loopServerPlan);
    const told = rules.flatMap((rule) => {
      const judgement = rule.judge(facts);
      return judgement === undefined ? [] : [{ id: rule.id, judgement }];
    });
    const claims = claimCells(told, facts.costs).filter(({ cells }) => cells.length > 0);
    expect(claims.map(({ id }) => id)).toEqual(['slow-server']);
  });

  test('is not told where it may be input, or of a server', () => {
    const facts = buildFacts(loopServerPlan);
    expect(slowServer.judge({ ...facts, inputKnown: false })).toBeUndefined();
    const steps = { ...facts.steps, serves: true as const };
    expect(slowServer.judge({ ...facts, steps })).toBeUndefined();
  });

  test('and its loader: one finding of both', () => {
    const loader = exampleFacts('slow-server');
    const loop = buildFacts(loopServerPlan);
    const costs = [...loader.costs, ...loop.costs.filter(({ phase }) => phase === 'other')];
    const judgement = inLoaderAndLoop(
      { ...loader, costs },
      slowServer.judge(loader),
      slowServer.judge(loop),
    );
    expect(judgement?.title).toBe('Batches wait for a server: 10.0.0.2:6379');
    expect(judgement?.sentence).toContain('The training loop spent 500.0 ms');
    const claimed = costs.filter(judgement?.claims ?? (() => false));
    expect(claimed.map(({ ns }) => ns)).toEqual([3 * SECOND, 0.5 * SECOND]);
    // The loop’s own part is half as long again at most.
    const own = slowServer.judge(loop);
    const longer = inLoaderAndLoop(
      { ...loader, costs },
      slowServer.judge(loader),
      own && { ...own, gainShare: 1.5 },
    );
    const moreNs = (told: typeof own) =>
      (typeof told?.gain === 'object' ? told.gain.moreNs : 0) ?? 0;
    const shorter = inLoaderAndLoop(
      { ...loader, costs },
      slowServer.judge(loader),
      own && { ...own, gainShare: 0.5 },
    );
    expect(moreNs(longer) - moreNs(shorter)).toBe(0.25 * SECOND);
  });
});

test('what a server that is recorded did meanwhile is said', () => {
  const waits = { durationNs: 30 * MS, state: 1, runQueueNs: 0 };
  const at = Array.from({ length: 200 }, (_, turn) => turn * 50 * MS);
  const judgement = judge('socket to 127.0.0.1:6379 (ffmpeg, pid 900)', -1, {
    trace: {
      names: [
        ['', 'socket to 127.0.0.1:6379 (ffmpeg, pid 900)'],
        ['', '/data/shard (ext4)'],
      ],
      machine: { cpuModel: 'Intel Xeon' },
      processes: [
        { pid: 100, name: 'python3', role: 'main' },
        { pid: 101, name: 'python3', role: 'dataloader-worker', parent: 0 },
        { pid: 900, name: 'ffmpeg' },
      ],
      threads: [0, 1, 2, 2].map((process, thread) => ({ tid: 100 + thread, process, name: 'x' })),
      rows: {
        off_cpu: at.flatMap((startNs) => [
          { ...waits, startNs, thread: 1, syscall: READ, file: 0, wakerContext: 2 },
          {
            ...{ ...waits, startNs: startNs + MS, durationNs: 28 * MS, state: 2, ioWait: 1 },
            ...{ thread: 2, syscall: READ, file: 1 },
          },
          // The thread that takes new connections waits for the next one.
          {
            ...waits,
            startNs: startNs + 2 * MS,
            durationNs: 45 * MS,
            thread: 3,
            syscall: EPOLL_WAIT,
            file: -1,
          },
        ]),
      },
    },
  });
  expect(judgement?.sentence).toContain(
    'Meanwhile ffmpeg (pid 900) at 127.0.0.1:6379 was asleep, waiting for the disk: /data/shard (ext4).',
  );
});
