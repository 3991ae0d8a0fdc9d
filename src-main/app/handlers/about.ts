import packageJson from '../../../package.json' with { type: 'json' };
import { findNative } from '../../native/library.ts';
import type { NativeCode } from '../../shared/contract/app-calls.ts';
import { ok } from '../../shared/rpc/result.ts';
import { FORMAT_VERSION } from '../../trace/formats/stalltrace/schema.ts';
import { readAgentBuilds } from '../services/agent-builds.ts';
import type { AreaHandlers, Services } from '../services/services.ts';
import { version } from '../services/version.ts';

const licence = 'license' in packageJson ? String(packageJson.license) : undefined;

const partVersions: Readonly<Record<string, string>> = {
  ...(process.versions.sqlite !== undefined && { SQLite: process.versions.sqlite }),
  'better-sqlite3': packageJson.dependencies['better-sqlite3'],
  ssh2: packageJson.dependencies.ssh2,
  'Stalltrace trace format': String(FORMAT_VERSION),
};

function nativeCode(): NativeCode {
  const state = findNative();
  if (state.library === undefined) return { used: false, why: state.why };
  return { used: true, sqlite: state.library.sqlite };
}

export function aboutHandlers({
  platform,
  launches,
  agentStatusFile,
}: Services): AreaHandlers<'app'> {
  const { chrome, electron, node } = process.versions;
  return {
    'app.launch': async () => ok(launches.shift() ?? null),
    'app.about': async () =>
      ok({
        version,
        host: platform.kind,
        platform: `${process.platform} ${process.arch}`,
        node,
        ...(electron !== undefined && { electron }),
        ...(chrome !== undefined && { chromium: chrome }),
        parts: partVersions,
        nativeCode: nativeCode(),
        agents: await readAgentBuilds(agentStatusFile),
        ...(licence !== undefined && { licence }),
        fileDialog: platform.chooseFile !== undefined,
        trash: platform.trash !== undefined,
      }),
  };
}
