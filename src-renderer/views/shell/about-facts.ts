import type { About } from '../../../src-main/shared/contract/app-calls.ts';
import { formatBytes } from '../../../src-main/shared/text/units.ts';

interface AboutFact {
  readonly label: string;
  readonly value: string;
}

const hosts: Readonly<Record<About['host'], string>> = {
  desktop: 'Desktop app',
  browser: 'In the browser, served by this machine or through a tunnel',
  cli: 'Command line',
};

/** What is worth a line in a bug report. */
export function aboutFacts(about: About, dataFolder: string | undefined): AboutFact[] {
  const optional = (label: string, value: string | undefined) =>
    value === undefined ? [] : [{ label, value }];
  return [
    { label: 'Stalltrace', value: about.version },
    { label: 'Runs as', value: hosts[about.host] },
    { label: 'System', value: about.platform },
    ...optional('Electron', about.electron),
    ...optional('Chromium', about.chromium),
    { label: 'Node.js', value: about.node },
    ...Object.entries(about.parts).map(([label, value]) => ({ label, value })),
    {
      label: 'Native code',
      value: about.nativeCode.used
        ? `Reads large traces, with SQLite ${about.nativeCode.sqlite}`
        : `Not used: ${about.nativeCode.why} Large traces open more slowly; the results are the same.`,
    },
    ...about.agents.built.map(({ arch, bytes, version }) => ({
      label: `Capture agent, Linux ${arch}`,
      value: `${version}, ${formatBytes(bytes)}`,
    })),
    ...about.agents.missing.map(({ arch, why, next }) => ({
      label: `Capture agent, Linux ${arch}`,
      value: `Not here: ${why}; ${next}. All but recording works without it.`,
    })),
    ...optional('Data folder', dataFolder),
    { label: 'Licence', value: about.licence ?? 'None is granted yet: not for publication' },
  ];
}
