import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { BESIDE_LOOP, besideLoop } from '../fixes/beside-loop.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop works out figures on the CPU between two batches. */
export const hostMetrics: Rule = { id: 'host-metrics', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'host-metrics',
    title: 'The training loop works out figures on the CPU',
    doing: 'metrics and other figures on the CPU',
    fix: ({ place }) => fixFor(place),
  });
}

function fixFor(place: string | undefined): Fix {
  return {
    title: `Let another process ${place === undefined ? 'work them out' : `do what ${place} does`}, while the loop goes on`,
    text: `The GPU gets nothing new to do while the CPU computes. ${BESIDE_LOOP} A sum or a mean that PyTorch can work out stays on the GPU as a tensor, costs next to nothing there, and is fetched every hundred steps.`,
    ...besideLoop('your_figure'),
  };
}
