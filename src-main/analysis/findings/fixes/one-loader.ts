import type { Finding, Fix } from '../../../shared/answers/diagnosis.ts';
import { loaderOptions, withLoaderOptions } from './snippets.ts';

/** Options that a finding changes for good: what comes after it has to keep them. */
const KEPT = ['num_workers', 'pin_memory', 'persistent_workers'];

/**
 * `findings` of one rank, in the order in which they are told, as fixes of one loader: what one changes,
 * the code of the next keeps, so that pasting one takes nothing back of another.
 */
export function ofOneLoader(findings: readonly Finding[]): Finding[] {
  const chosen = new Map<string, string>();
  return findings.map((finding) => {
    const fix = keeping(finding.fix, chosen);
    for (const [name, value] of changesOf(fix)) chosen.set(name, value);
    return { ...finding, fix };
  });
}

function keeping(fix: Fix, chosen: ReadonlyMap<string, string>): Fix {
  const own = changesOf(fix);
  const kept = [...chosen].filter(
    ([name, value]) => !own.has(name) || isFewer(value, own.get(name)),
  );
  return { ...fix, after: withLoaderOptions(fix.after, new Map(kept)) };
}

/** Of two numbers of workers that findings ask for, the smaller is the one that both allow. */
function isFewer(value: string, own: string | undefined): boolean {
  return Number(value) < Number(own);
}

function changesOf({ before, after }: Fix): Map<string, string> {
  const was = loaderOptions(before);
  const options = [...(loaderOptions(after) ?? [])];
  return new Map(
    options.filter(([name, value]) => KEPT.includes(name) && was?.get(name) !== value),
  );
}
