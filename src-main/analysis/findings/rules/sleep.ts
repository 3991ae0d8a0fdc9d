import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks, codesOfFrames, foldStacks } from '../../../shared/model/stacks.ts';
import { formatCount, formatShare, plural } from '../../../shared/text/units.ts';
import { type HostWork, waitsAmong } from '../../host/host-parts.ts';
import { onceFor, perStacks } from '../../index/per-trace.ts';
import { loopCalls } from '../../loop/loop-calls.ts';
import { isOwnCode } from '../../stacks/loader-stacks.ts';
import { placeText } from '../../stacks/place-text.ts';
import { type ComputedMeanwhile, computedMeanwhile } from '../facts/computed-meanwhile.ts';
import { CLEARLY, functionOf } from '../facts/culprit.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { callable } from '../fixes/own-names.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop sleeps on purpose. */
export const sleep: Rule = { id: 'sleep', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  const whoOf = onceFor(
    (work: HostWork) => work,
    (work) => awaited(facts, work),
  );
  return judgeHost(facts, {
    kind: 'sleep',
    title: 'The training loop sleeps',
    doing: 'sleeping, until a time that it set itself',
    more: (work) => {
      const who = whoOf(work);
      return who === undefined ? eventLoopOf(facts, work) : meanwhileOf(who);
    },
    fix: (work) => {
      const who = whoOf(work);
      return who === undefined ? fixFor(work.place) : makerFix(who);
    },
  });
}

/** Who may be what it looks for between its sleeps: of the job, and at work for most of them. */
function awaited(facts: RankFacts, { at }: HostWork): ComputedMeanwhile | undefined {
  const { startsNs, endsNs } = facts.host.evidence;
  const spans = waitsAmong(facts.host, at).map((each): TimeSpan => [startsNs[each], endsNs[each]]);
  return computedMeanwhile(facts, spans);
}

function meanwhileOf({ name, count, busyShare, place, rows }: ComputedMeanwhile) {
  const beside =
    count === 1
      ? ', a process of the job,'
      : `, and ${plural(count - 1, 'other process', 'other processes')} of the job`;
  const where = place === undefined ? '' : `, mostly in ${place}`;
  const text = `Meanwhile ${name}${beside} computed for about ${formatShare(busyShare, 1)} of that${where}`;
  return {
    say: [`${text}: where the loop looks whether that is done, it is what takes the time.`],
    facts: [evidence(text, 'inferred', refsTo('cpu_sample', rows))],
    title: (at: string) =>
      `The training loop sleeps${at} while ${place === undefined ? name : functionOf(place)} runs in another process`,
  };
}

const EVENT_LOOP =
  'That was in the event loop of asyncio, which sleeps until the next time that a coroutine has set: which one, no stack shows.';
const TO_LOOK_FOR = 'for asyncio.sleep, wait_for and timeouts';

/** What is known where most of it, by time, was in an event loop. */
function eventLoopOf(facts: RankFacts, { ns, at }: HostWork) {
  const { evidence: seen } = facts.host;
  const waits = waitsInLoop(facts, at);
  if (waits.reduce((sum, each) => sum + seen.ns[each], 0) <= ns / 2) return { say: [], facts: [] };
  const next = goesOnIn(facts, waits);
  if (next === undefined) return { say: [EVENT_LOOP, `Look ${TO_LOOK_FOR}.`], facts: [] };
  const { place, count, calls } = next;
  const text = `The next CUDA call after ${formatCount(count)} of ${formatCount(waits.length)} of these waits came from ${place}`;
  return {
    say: [EVENT_LOOP, `${text}: look there first, and in what it awaits, ${TO_LOOK_FOR}.`],
    facts: [evidence(text, 'exact', refsTo('cuda_call', calls))],
  };
}

const isEventLoop = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ symbol, file = '' }) =>
    Number(/_run_once$/.test(symbol) && /\/asyncio\/base_events\.py$/.test(file)),
  ),
);

/** Of `moments`, indices into the host evidence, the waits of an event loop, in order of time. */
function waitsInLoop({ trace, host }: RankFacts, moments: readonly number[]): number[] {
  const { stack } = trace.tables.off_cpu.columns;
  return waitsAmong(host, moments).filter(
    (each) => isEventLoop(trace)[stack?.[host.evidence.row[each]] ?? NONE] === 1,
  );
}

const WITHIN = -2;

/** By stack, the row of the outermost function of the job's own that an event loop of asyncio runs; -1 = there is none. */
const coroutines = perStacks((stacks) => {
  const isHandle = codesOfFrames(stacks, ({ symbol, file = '' }) =>
    Number(/(^|\.)_run$/.test(symbol) && /\/asyncio\/events\.py$/.test(file)),
  );
  const isOwn = codesOfFrames(stacks, (frame) => Number(isOwnCode(frame)));
  const found = foldStacks(stacks, new Int32Array(stacks.length), NONE, (outer, frame, stack) => {
    if (outer >= 0) return outer;
    if (isHandle[frame] === 1) return WITHIN;
    return outer === WITHIN && isOwn[frame] === 1 ? stack : outer;
  });
  return found.map((at) => Math.max(NONE, at));
});

/** The coroutine that clearly most of `waits` of an event loop were followed by, as far as CUDA calls tell before the next wait. */
function goesOnIn({ trace, rank, host }: RankFacts, waits: readonly number[]) {
  const { stack } = trace.tables.cuda_call.columns;
  const { rows, startsNs } = loopCalls(trace, rank.mainThread);
  const { startsNs: waitsNs, endsNs } = host.evidence;
  const coroutineOf = (row: number) => coroutines(trace)[stack?.[row] ?? NONE] ?? NONE;
  const calls = waits.flatMap((each, at) => {
    const untilNs = waitsNs[waits[at + 1]] ?? Infinity;
    let call = startsNs.lowerBound(endsNs[each]);
    while (startsNs.nsAt(call) < untilNs && coroutineOf(rows[call]) === NONE) call++;
    return startsNs.nsAt(call) < untilNs ? [rows[call]] : [];
  });
  const placeOf = (row: number) => placeText(trace.stacks, trace.stacks.frame[coroutineOf(row)]);
  const groups = [...Map.groupBy(calls, (row) => functionOf(placeOf(row))).values()];
  const most = groups.find((own) => own.length >= waits.length * CLEARLY);
  return most && { place: placeOf(most[0]), count: most.length, calls: most };
}

/** The sleep is only as long as the work of whoever it looks for. */
function makerFix({ name, place }: ComputedMeanwhile): Fix {
  const make = (place === undefined ? undefined : callable(place)) ?? 'your_maker';
  return {
    title: `Make what ${place ?? name} does quicker, or let more processes share it`,
    text: 'The loop sleeps until that is done: awake it would wait as long, but for the end of the last sleep. Where CPUs are idle, more processes help, and where the work is behind only at times a longer queue does; else it has to do less. result() ends at once when it is done, and the results keep their order.',
    before: `import time
from concurrent.futures import ProcessPoolExecutor

pool = ProcessPoolExecutor(1)
asked = []
for part in your_parts:
    while sum(not each.done() for each in asked) >= 2:
        time.sleep(0.1)
    asked.append(pool.submit(${make}, part))`,
    after: `import os
from collections import deque
from concurrent.futures import ProcessPoolExecutor

processes = max(1, os.cpu_count() - your_num_workers - 1)  # the CPUs that the loop and its workers leave
pool = ProcessPoolExecutor(processes)
asked = deque()
for part in your_parts:
    asked.append(pool.submit(${make}, part))
    if len(asked) > 4 * processes:
        your_use_of(asked.popleft().result())  # the oldest: goes on as soon as that is done
while asked:
    your_use_of(asked.popleft().result())
pool.shutdown()`,
    language: 'python',
    sources: [
      {
        title: 'Python: Future.result()',
        url: 'https://docs.python.org/3/library/concurrent.futures.html#concurrent.futures.Future.result',
      },
    ],
  };
}

function fixFor(place: string | undefined): Fix {
  return {
    title: `Take the sleep${place === undefined ? '' : ` in ${place}`} out of the loop, or wait on an event or a queue instead`,
    text: 'A sleep lasts its whole time even if what the loop waits for is there at once. An event or a queue ends the wait as soon as that is there. Put retries and rate limits in a thread that the loop does not wait for.',
    before: `import threading
import time

done = []

def run():
    your_work()
    done.append(True)

threading.Thread(target=run).start()
while not done:
    time.sleep(0.1)`,
    after: `import threading

done = threading.Event()

def run():
    your_work()
    done.set()  # ends the wait at once

threading.Thread(target=run).start()
done.wait()`,
    language: 'python',
    sources: [
      {
        title: 'Python: threading.Event',
        url: 'https://docs.python.org/3/library/threading.html#event-objects',
      },
    ],
  };
}
