import { fileURLToPath } from 'node:url';
import { outsideArchive } from '../system/outside-archive.ts';

/** Paths of what is shipped beside the built entry files (out/main/*.js). */

export const rendererRoot = fileURLToPath(new URL('../renderer', import.meta.url));
export const preloadFile = fileURLToPath(new URL('../preload/index.cjs', import.meta.url));
/** The sample investigation; `STALLTRACE_SAMPLE` names another one, for demonstrations and tests. */
export const sampleFile =
  process.env.STALLTRACE_SAMPLE ||
  outsideArchive(
    fileURLToPath(
      new URL('../../resources/sample/dataloader-starvation.trace.db', import.meta.url),
    ),
  );
/** Which capture agents were built, beside them. */
export const agentStatusFile = fileURLToPath(new URL('../agent/status.json', import.meta.url));
