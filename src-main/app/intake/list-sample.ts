import { stat } from 'node:fs/promises';
import type { Services } from '../services/services.ts';
import { catalogueEntryOf } from './catalogue-entry.ts';

const OWN = { sample: true, storage: 'referenced' } as const;
const SAMPLE_NAME = 'Sample: a DataLoader that starves the GPU';

/**
 * Puts the bundled sample on the list where it is not there as it is now: at the first start, or
 * after an update moved or changed it. Its description follows once it has been read. Whether the
 * list could be read and needs no second look.
 */
export async function listSample(services: Services): Promise<boolean> {
  const { library, hashing, sampleFile } = services;
  if (sampleFile === undefined) return true;
  const size = (await stat(sampleFile).catch(() => undefined))?.size;
  if (size === undefined) return true;
  const listed = await library.call('list', {});
  if (!listed.ok) return false;
  // Another installation that shares this library lists a sample of its own, as long as it exists.
  for (const { id, path, sample, state } of listed.value) {
    if (sample && state === 'missing' && path !== sampleFile)
      await library.call('remove', { id, trashFile: false });
  }
  const entry = listed.value.find(({ path }) => path === sampleFile);
  const isCurrent = entry?.sample === true && entry.sizeBytes === size;
  if (isCurrent && entry.lengthNs !== undefined) return true;
  const bare = { path: sampleFile, name: SAMPLE_NAME, format: 'Stalltrace', sizeBytes: size };
  const put = { ...bare, ...OWN, synthetic: false, processes: [] };
  const added = await library.call('put', { entry: put });
  if (!added.ok) return false;
  hashing.add(added.value.investigation);
  describeSample(services, sampleFile).catch((bug: unknown) =>
    console.error('bug while the sample was described:', bug),
  );
  return true;
}

async function describeSample({ traces, library, emit }: Services, path: string): Promise<void> {
  const { signal } = new AbortController();
  const opened = await traces.open(path, { signal, session: signal, progress: () => undefined });
  if (!opened.ok) return;
  traces.close(opened.value.id);
  const entry = await catalogueEntryOf(path, opened.value.summary, OWN);
  const described = await library.call('put', { entry });
  if (described.ok) emit('library.changed', null);
}
