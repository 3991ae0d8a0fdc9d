import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import { type HostWork, waitsAmong } from '../../host/host-parts.ts';
import { perStacks } from '../../index/per-trace.ts';
import type { RankFacts } from '../facts/facts.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop sleeps on purpose. */
export const sleep: Rule = { id: 'sleep', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'sleep',
    title: 'The training loop sleeps',
    doing: 'sleeping, until a time that it set itself',
    more: (work) => ({ say: isInEventLoop(facts, work) ? [EVENT_LOOP] : [], facts: [] }),
    fix: ({ place }) => fixFor(place),
  });
}

const EVENT_LOOP =
  'That was in the event loop of asyncio, which sleeps until the next time that a coroutine has set: which one, no stack shows. Look for asyncio.sleep, wait_for and timeouts.';

const isEventLoop = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ symbol, file = '' }) =>
    Number(/_run_once$/.test(symbol) && /\/asyncio\/base_events\.py$/.test(file)),
  ),
);

/** Whether most of it, by time, was there. */
function isInEventLoop({ trace, host }: RankFacts, { ns, at }: HostWork): boolean {
  const { stack } = trace.tables.off_cpu.columns;
  const { evidence } = host;
  const inLoop = waitsAmong(host, at).filter((each) => {
    const shown = stack?.[evidence.row[each]] ?? NONE;
    return shown !== NONE && isEventLoop(trace)[shown] === 1;
  });
  return inLoop.reduce((sum, each) => sum + evidence.ns[each], 0) > ns / 2;
}

function fixFor(place: string | undefined): Fix {
  return {
    title: `Take the sleep${place === undefined ? '' : ` in ${place}`} out of the loop, or wait for what it waits for`,
    text: 'A sleep lasts its whole time even if what it waits for is there at once. An event or a queue ends the wait when it is. Retries and limits of a rate belong in a thread that the loop does not wait for.',
    before: `import threading
import time

done = []
threading.Thread(target=done.append, args=(1,)).start()
while not done:
    time.sleep(0.1)`,
    after: `import threading

done = threading.Event()
threading.Thread(target=done.set).start()
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
