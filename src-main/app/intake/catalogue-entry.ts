import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { CatalogueEntry } from '../../shared/contract/library-process-calls.ts';
import { knownModel, ofHosts, UNNAMED_HOST } from '../../shared/model/hosts.ts';
import type { Host } from '../../shared/model/trace.ts';
import { dateOfUnixNs } from '../../shared/text/dates.ts';
import { cleanText } from '../../shared/text/text.ts';

/** Names beyond these are not searched for: a trace may have as many as it has events. */
const MAX_PROCESSES = 1000;

/** What the library keeps of a trace, so that its list needs no file to be opened. */
export async function catalogueEntryOf(
  path: string,
  summary: TraceSummary,
  { sample, storage }: Pick<CatalogueEntry, 'sample' | 'storage'>,
): Promise<CatalogueEntry> {
  const gpu = [...new Set(summary.gpus.map(knownModel).filter(Boolean))].join('; ');
  const cpu = ofHosts(summary, ({ cpuModel }) => cpuModel);
  const host = ofHosts(summary, nameOf) || cpu;
  const recordedAt = dateOfUnixNs(summary.beginUnixNs);
  return {
    path,
    name: cleanText(basename(path), 200),
    format: summary.format,
    sizeBytes: (await stat(path).catch(() => undefined))?.size ?? 0,
    ...(recordedAt !== undefined && { recordedAt: recordedAt.toISOString() }),
    lengthNs: summary.lengthNs,
    ...(host !== '' && { machine: host }),
    ...(cpu !== '' && { cpu }),
    ...(gpu !== '' && { gpu }),
    sample,
    synthetic: summary.synthetic !== undefined,
    ...(summary.simulated !== undefined && { simulated: cleanText(summary.simulated, 500) }),
    storage,
    processes: processNames(summary),
  };
}

/** That a file does not say which machine something is of is no name of one. */
function nameOf({ hostname }: Host): string | undefined {
  return hostname === UNNAMED_HOST ? undefined : hostname;
}

function processNames({ processes }: TraceSummary): string[] {
  const distinct = new Set(processes.map(({ name }) => cleanText(name, 200)));
  distinct.delete('');
  return [...distinct].slice(0, MAX_PROCESSES);
}
