import { stat } from 'node:fs/promises';
import { catalogueEntryOf } from './catalogue-entry.ts';
import type { Services } from './services.ts';

const SAMPLE_NAME = 'Sample: a DataLoader that starves the GPU';

/**
 * Puts the bundled sample on the list where it is not there as it is now: at the first start, or
 * after an update moved or changed it. Its description follows once it has been read.
 */
export async function listSample(services: Services): Promise<void> {
  const { library, sampleFile } = services;
  if (sampleFile === undefined) return;
  const size = (await stat(sampleFile).catch(() => undefined))?.size;
  const listed = await library.call('list', {});
  if (size === undefined || !listed.ok) return;
  const entry = listed.value.find((investigation) => investigation.sample);
  const isDescribed = entry?.path === sampleFile && entry.sizeBytes === size;
  if (isDescribed && entry.lengthNs !== undefined) return;
  if (entry !== undefined && entry.path !== sampleFile) {
    await library.call('remove', { id: entry.id });
  }
  const bare = { path: sampleFile, name: SAMPLE_NAME, format: 'Stalltrace', sizeBytes: size };
  await library.call('put', { entry: { ...bare, sample: true, synthetic: true }, opened: false });
  void describeSample(services, sampleFile);
}

async function describeSample({ traces, library, emit }: Services, path: string): Promise<void> {
  const { signal } = new AbortController();
  const opened = await traces.open(path, { signal, session: signal, progress: () => undefined });
  if (!opened.ok) return;
  traces.close(opened.value.id);
  const entry = await catalogueEntryOf(path, opened.value.summary, true);
  const described = await library.call('put', { entry, opened: false });
  if (described.ok) emit('library.changed', null);
}
