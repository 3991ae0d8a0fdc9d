import { firstMode, modeSpec } from '../../shared/capture-modes/modes.ts';
import type { Preflight } from '../../shared/remote/preflight.ts';
import { type Findings, itemOf } from './findings.ts';

type Verdict = Pick<Preflight, 'mode' | 'headline' | 'sees' | 'cannotSee'>;

/** What can be captured on a host, and what would be needed for more; the lists are the agent's. */
export function judge(findings: Findings): Verdict {
  const { report } = findings;
  const { mode, captured, missing } = report.summary;
  if (captured.length === 0) {
    const headline =
      'Nothing can be captured here: the agent can read neither the kernel nor /proc.';
    return { mode: 'none', headline, sees: [], cannotSee: report.sources.map(({ sees }) => sees) };
  }
  const isPartial = mode === 'partial';
  const best = isPartial ? firstMode : mode;
  const told = report.modes.find((each) => each.mode === best);
  return {
    mode: best,
    headline: modeSpec(best).headline({
      isWhole: missing.length === 0,
      isPartial,
      bestNeeds: needs(findings),
    }),
    sees: told?.sees ?? [],
    cannotSee: (told?.cannot_see ?? []).map(({ what, why }, at, all) =>
      // Of several with one reason the first says it.
      why === null || why === all[at - 1]?.why ? what : `${what} – ${why}`,
    ),
  };
}

/** What keeps eBPF away; the first that nothing else would help against. */
function needs(findings: Findings): string {
  const { report, found, asRoot } = findings;
  const status = (id: string) => itemOf(report, id)?.status;
  const inContainer = !/none/.test(itemOf(report, 'container')?.detail ?? 'none');
  if (asRoot && inContainer && status('privileges') === 'warn') return 'Full capture needs a VM';
  if (status('kernel') === 'fail') return 'Full capture needs Linux 5.15 or later';
  if (status('btf') === 'fail') return 'Full capture needs a kernel that describes its types (BTF)';
  if (status('lockdown') === 'fail') {
    return 'Full capture needs a kernel that is not locked down for confidentiality';
  }
  if (asRoot) return 'Full capture needs a kernel that allows eBPF to root';
  if (inContainer && found.privilege !== 'sudo-declined') {
    return 'Full capture needs root’s rights, and in a container usually a VM';
  }
  return found.privilege === 'sudo-declined'
    ? 'Full capture needs the password for sudo'
    : 'Full capture needs root’s rights on this host';
}
