import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { upperBound } from '../../../shared/numbers/bisect.ts';
import { formatCount, formatDuration, plural } from '../../../shared/text/units.ts';
import type { HostWork } from '../../host/host-parts.ts';
import { type BuildKind, buildKindOf } from '../facts/build-kind.ts';
import { compilersOf } from '../facts/compilers.ts';
import { evidence } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { windowNs } from '../facts/job-shape.ts';
import {
  keepBuilds,
  keepCompiled,
  keepExtensions,
  oneProgramForAll,
} from '../fixes/compile-fixes.ts';
import { judgeHost, worksOf } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** Code is compiled while the loop, or whoever asked, waits for it. */
export const compiling: Rule = { id: 'compiling', needs: [hostActivity], judge };

/** Compiling that is over so early in the steps, or in the time of a server, is the start of the job. Our own choice. */
const EARLY_STEPS = 0.05;
const EARLY_TIME = 0.1;
/** A few steps compile: forward and backward, with and without gradients, a last batch that is smaller. */
const FIRST_STEPS = 3;
/** Of so many steps they are no more than the start. */
const STEPS_TO_FIRST = 3;
/** When so much of it is over, it is over: a look into a cache later on is none. */
const NEARLY_ALL = 0.95;

function judge(facts: RankFacts): Judgement | undefined {
  const works = worksOf(facts).filter(({ kind }) => kind === 'compiling');
  const early = earlyText(facts, overNs(facts, works));
  const judgement = judgeHost(facts, {
    kind: 'compiling',
    title:
      early === undefined
        ? `The training loop waits for code to be compiled${comesAgain(facts, works) ? ' again and again' : ''}`
        : 'The training loop waits at its start for code to be compiled',
    doing: 'compiling or waiting for compilers',
    isOver: early !== undefined,
    more: () => {
      const told = compilersText(facts);
      const known = told === undefined ? [] : [told];
      return {
        say: [...known, early ?? ''].filter(Boolean),
        facts: known.map((text) => evidence(text, 'exact')),
      };
    },
    fix: () => fixFor(buildKindOf(facts, works), early !== undefined),
  });
  if (judgement === undefined || early === undefined) return judgement;
  // It is paid once, whatever share of a short recording it has.
  const { claims: _, ...told } = judgement;
  return told;
}

/** Once in the middle of a run is not again and again. */
const AGAIN = 3;
/** What is so much less than in the step with most of it may be chance, or a look into a cache. Our own choice. */
const SMALL_PART = 0.05;

/** Whether it was seen in several steps, or several times where compilers are known. */
function comesAgain(facts: RankFacts, works: readonly HostWork[]): boolean {
  const at = works.flatMap((work) => work.at).sort((a, b) => a - b);
  if ((facts.repeats(at)?.steps ?? 0) >= AGAIN) return true;
  const times = compilersOf(facts)?.spans.startsNs.length ?? 0;
  return times >= AGAIN || stepsWith(facts, at) >= AGAIN;
}

/** In how many steps it was seen: of what only samples show, without any order, nobody tells how often it comes. */
function stepsWith(
  { host: { evidence: seen }, steps: { steps } }: RankFacts,
  at: number[],
): number {
  const starts = Float64Array.from(steps, ({ startNs }) => startNs);
  const sums = new Map<number, number>();
  for (const each of at) {
    const step = upperBound(starts, seen.startsNs[each]);
    if (step > 0) sums.set(step, (sums.get(step) ?? 0) + seen.ns[each]);
  }
  const most = Math.max(0, ...sums.values());
  return [...sums.values()].filter((ns) => ns >= most * SMALL_PART).length;
}

/** From when on next to nothing was compiled any more. */
function overNs({ host: { evidence: seen } }: RankFacts, works: readonly HostWork[]): number {
  const at = works.flatMap((work) => work.at).sort((a, b) => a - b);
  const allNs = at.reduce((sum, each) => sum + seen.ns[each], 0);
  let reachedNs = 0;
  for (const each of at) {
    reachedNs += seen.ns[each];
    if (reachedNs >= allNs * NEARLY_ALL) return seen.endsNs[each];
  }
  return Infinity;
}

/** That it was over early, in words; undefined where it comes again later. */
function earlyText(facts: RankFacts, endNs: number): string | undefined {
  const { count, steps } = facts.steps;
  const shrinks = 'In a longer run that share shrinks.';
  if (count > 0 && steps.length > 0) {
    const starts = Float64Array.from(steps, ({ startNs }) => startNs);
    const [begun, all] = [upperBound(starts, endNs), steps.length];
    const most = Math.min(Math.max(FIRST_STEPS, all * EARLY_STEPS), all / STEPS_TO_FIRST);
    if (begun > most) return undefined;
    const told = Math.max(1, Math.round((begun / all) * count));
    return `That was in the first ${told === 1 ? 'step' : plural(told, 'step')} of ${formatCount(count)}, and hardly ever later. ${shrinks}`;
  }
  const tookNs = endNs - facts.window[0];
  if (!(tookNs <= windowNs(facts) * EARLY_TIME)) return undefined;
  return `That was in the first ${formatDuration(tookNs)}, and hardly ever later. ${shrinks}`;
}

/** `24 programs compiled meanwhile (cc1, as, ld): 6 times, 1.2 s in all.` */
function compilersText(facts: RankFacts): string | undefined {
  const found = compilersOf(facts);
  if (found === undefined) return undefined;
  const times = found.spans.startsNs.length;
  const often = times > 1 ? `at ${formatCount(times)} different times, ` : '';
  return `${plural(found.count, 'program')} that the job started compiled (${found.names}): ${often}for ${formatDuration(found.ns)} in all, those side by side counted once.`;
}

function fixFor(kind: BuildKind, isEarly: boolean): Fix {
  if (kind === 'extension') return keepExtensions;
  if (kind === 'own') return keepBuilds;
  return isEarly ? keepCompiled : oneProgramForAll;
}
