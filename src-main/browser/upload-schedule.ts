import type { Server } from 'node:http';
import type { App } from '../app/app.ts';
import { describeThrown } from '../shared/result.ts';
import type { UploadStore } from './upload-store.ts';
import { type Library, SPARED_MS } from './upload-sweep.ts';

/** Sweeps when `server` starts, and whenever the library has been quiet for a while after a change. */
export function sweepUploads(server: Server, app: App, store: UploadStore): void {
  let timer: NodeJS.Timeout | undefined;
  const sweep = () =>
    void store
      .sweep()
      .catch((thrown: unknown) =>
        console.error('old uploads could not be removed:', describeThrown(thrown)),
      );
  server.once('listening', sweep);
  server.once('close', () => clearTimeout(timer));
  app.onEvent((name) => {
    if (name !== 'library.changed') return;
    clearTimeout(timer);
    timer = setTimeout(sweep, SPARED_MS + 1000).unref();
  });
}

/** The library as the store asks for it. */
export function libraryOf(app: App): Library {
  const { signal } = new AbortController();
  return async () => {
    const context = { signal, session: signal, progress: () => undefined };
    const listed = await app.handlers['library.list']({}, context);
    return listed.ok ? listed.value : undefined;
  };
}
