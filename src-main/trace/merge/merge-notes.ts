import type { Capability, Notice, SourceFinding } from '../../shared/model/trace.ts';
import { severityRank } from '../../shared/words/severities.ts';
import type { Part } from './merge-input.ts';

/** Names of hosts that a sentence lists. */
const LISTED = 3;

/** `node1, node2`; of many the first, and how many more. */
function labelList(labels: readonly string[]): string {
  const more = labels.length - LISTED;
  const shown = labels.slice(0, LISTED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Whose a sentence is: figures that several hosts say alike are those of each, not of all together. */
export function ownersOf(labels: readonly string[], text: string): string {
  return labels.length > 1 && hasFigure(text) ? `${labelList(labels)}, each` : labelList(labels);
}

export const hasFigure = (text: string) => /\d/.test(text);

/** What every part says is said once, but for figures; all else of the hosts that it was said of. */
export function mergeNotices(parts: readonly Part[]): Notice[] {
  if (parts.length === 1) return [...parts[0].trace.notices];
  const said = new Map<string, { notice: Notice; labels: Set<string> }>();
  for (const { trace, label } of parts)
    for (const notice of trace.notices) {
      const key = `${notice.level}\n${notice.text}`;
      const known = said.get(key) ?? { notice, labels: new Set() };
      known.labels.add(label);
      said.set(key, known);
    }
  return [...said.values()].map(({ notice, labels }) =>
    labels.size === parts.length && !hasFigure(notice.text)
      ? notice
      : { ...notice, text: `${ownersOf([...labels], notice.text)}: ${notice.text}` },
  );
}

/** A capability that one host had is there; where hosts differ, each says how or why not. */
export function mergeCapabilities(parts: readonly Part[]): Capability[] {
  if (parts.length === 1) return [...parts[0].trace.capabilities];
  const byName = new Map<string, { label: string; capability: Capability }[]>();
  for (const { trace, label } of parts)
    for (const capability of trace.capabilities) {
      const all = byName.get(capability.name) ?? [];
      all.push({ label, capability });
      byName.set(capability.name, all);
    }
  return [...byName].map(([name, all]) => {
    const details = new Map<string, string[]>();
    for (const { label, capability } of all) {
      const words = `${capability.available ? 'yes' : 'no'}${capability.detail && `: ${capability.detail}`}`;
      details.set(words, [...(details.get(words) ?? []), label]);
    }
    const isAlike = details.size === 1 && all.length >= parts.length;
    return {
      name,
      available: all.some(({ capability }) => capability.available),
      detail: isAlike
        ? all[0].capability.detail
        : [...details].map(([words, labels]) => `${labelList(labels)}: ${words}`).join('; '),
    };
  });
}

/** What the recorders found, each with the host it is about; the most severe first. */
export function mergeFindings(parts: readonly Part[]): SourceFinding[] {
  const all = parts.flatMap(({ trace, shiftNs, label }) =>
    trace.sourceFindings.map((finding) => ({
      ...finding,
      ...(parts.length > 1 && finding.node === undefined && { node: label }),
      occurrences: finding.occurrences.map((occurrence) => ({
        ...occurrence,
        detectedNs: occurrence.detectedNs + shiftNs,
      })),
    })),
  );
  if (parts.length === 1) return all;
  const rank = ({ severity }: SourceFinding) => severityRank(severity);
  return all.sort((a, b) => rank(a) - rank(b) || b.occurrences.length - a.occurrences.length);
}
