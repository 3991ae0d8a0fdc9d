import type { Fix } from '../../../shared/answers/diagnosis.ts';
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
    fix: ({ place }) => fixFor(place),
  });
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
