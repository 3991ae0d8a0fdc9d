import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import type { HostWork } from '../../host/host-parts.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { threadText } from '../facts/job-shape.ts';
import { wakersOf, workOfThread } from '../facts/thread-work.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop waits for another thread of its process: its lock, its queue, its result. */
export const threadLock: Rule = { id: 'thread-lock', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'thread-lock',
    title: 'The training loop waits for another thread of its process',
    doing: 'waiting for a lock, a queue or a result of another thread',
    more: (work) => holderOf(facts, work),
    fix: () => fix,
  });
}

/** Who let go, how often and what it did until then. */
function holderOf(facts: RankFacts, work: HostWork) {
  const [holder] = wakersOf(facts, work);
  if (holder === undefined) return { say: [], facts: [] };
  const name = threadText(facts.trace.threads[holder.thread]);
  const did = workOfThread(facts, holder.thread, holder.spans);
  const meanwhile = did === undefined ? '' : ` Meanwhile that was ${did}.`;
  const waits = `${plural(holder.rows.length, 'wait')} that ${name} ended: ${formatDuration(holder.ns)}`;
  return {
    say: [`Mostly it waited for ${name}.${meanwhile}`],
    facts: [evidence(waits, 'exact', refsTo('off_cpu', holder.rows))],
  };
}

const fix: Fix = {
  title: 'Hold the lock for the change only, or do not wait for the other thread',
  text: 'Whoever holds a lock while it reads, writes or sleeps makes all others wait for that. Work on a copy, and take the lock to put it in place. A queue that is full makes the loop wait for who empties it: put_nowait() leaves a line out instead, and a longer queue bridges a pause.',
  before: `def your_refresh():
    with your_lock:
        your_state.update(your_read())  # all others wait while it reads`,
  after: `def your_refresh():
    new = your_read()  # nobody waits for that
    with your_lock:
        your_state.update(new)`,
  language: 'python',
  sources: [
    { title: 'Python: queue', url: 'https://docs.python.org/3/library/queue.html' },
    {
      title: 'Python: threading.Lock',
      url: 'https://docs.python.org/3/library/threading.html#lock-objects',
    },
  ],
};
