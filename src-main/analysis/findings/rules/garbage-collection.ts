import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop goes through its objects for garbage. */
export const garbageCollection: Rule = { id: 'garbage-collection', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'garbage-collection',
    title: 'The training loop stands still while Python collects garbage',
    doing: 'collecting garbage',
    fix: () => fix,
  });
}

const fix: Fix = {
  title: 'Freeze what was there before the loop, and collect seldom',
  text: 'A full collection looks at every object that the process keeps: with millions of them it takes seconds, and finds nothing. gc.freeze() hides all existing objects from it. Then it is enough to collect every thousand steps; more often where memory grows meanwhile. Objects without references in a circle are freed at once anyway; data in one array or tensor instead of lists of lists is one object.',
  before: `import gc

for step, batch in enumerate(your_loader):
    your_step(batch)
    gc.collect()`,
  after: `import gc

gc.collect()
gc.freeze()  # once, before the loop
gc.disable()
for step, batch in enumerate(your_loader):
    your_step(batch)
    if step % 1000 == 999:
        gc.collect()
gc.enable()`,
  language: 'python',
  sources: [
    { title: 'Python: gc.freeze()', url: 'https://docs.python.org/3/library/gc.html#gc.freeze' },
  ],
};
