import packageJson from '../../package.json' with { type: 'json' };
import { ok } from '../shared/result.ts';
import type { AreaHandlers, Services } from './services.ts';

export const version: string = packageJson.version;

export function aboutHandlers({ platform, launchFiles }: Services): AreaHandlers<'app'> {
  const { electron, node } = process.versions;
  return {
    'app.launchFile': async () => ok(launchFiles.shift() ?? null),
    'app.about': async () =>
      ok({
        version,
        host: platform.kind,
        platform: `${process.platform} ${process.arch}`,
        node,
        ...(electron !== undefined && { electron }),
        fileDialog: platform.chooseFile !== undefined,
      }),
  };
}
