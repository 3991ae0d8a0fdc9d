import type { PreflightRow } from '../../shared/remote/preflight.ts';
import type { CheckReport } from './check-report.ts';
import { type Findings, rowOf } from './findings.ts';

export function rightsRows(findings: Findings): PreflightRow[] {
  const { report, asRoot } = findings;
  return [
    sudoRow(findings),
    ...rowOf('rights', report, 'privileges', ({ status }) => {
      if (status === 'ok') return { label: 'Capabilities' };
      const next = asRoot
        ? 'Use a VM, or start the container with --privileged.'
        : 'Give root’s rights: see sudo.';
      return { label: 'Capabilities', next };
    }),
    ...rowOf('rights', report, 'bpf', ({ status, detail }) => {
      if (status === 'ok') return { label: 'eBPF', detail: 'Tried: its programs load.' };
      return {
        label: 'eBPF',
        detail: `Tried: ${detail}`,
        next: 'See the headline for what would help.',
      };
    }),
    ...rowOf('rights', report, 'uprobes', ({ detail, status }) => ({
      label: 'Probes on CUDA calls',
      detail: /one by one/.test(detail)
        ? 'Attached one by one on this kernel: a capture takes seconds to begin and to end.'
        : detail
            .replace(/^Kind: sessions/, 'Entry and return by one probe')
            .replace(/^Kind: multi/, 'Attached all at once'),
      status: /one by one/.test(detail) ? 'warn' : status,
    })),
    ...sourcesRow(report),
  ];
}

function sudoRow({ found, look }: Findings): PreflightRow {
  const row = { group: 'rights', id: 'sudo', label: 'Root’s rights' } as const;
  switch (found.privilege) {
    case 'root':
      return { ...row, status: 'ok', detail: 'Signed in as root.' };
    case 'sudo':
      return { ...row, status: 'ok', detail: `${look.user} may use sudo without a password.` };
    case 'sudo-password':
      return {
        ...row,
        status: 'ok',
        detail: `${look.user} may use sudo with the password, which is kept in memory only.`,
      };
    default: {
      const detail = found.why ?? 'They cannot be had on this host.';
      return {
        ...row,
        status: 'warn',
        detail,
        ...(found.next !== undefined && { next: found.next }),
      };
    }
  }
}

/** What the agent tried to load, in one row: all of it, or what is missing and why. */
function sourcesRow({ checks, sources }: CheckReport): PreflightRow[] {
  const tried = checks.filter(({ id }) => sources.some(({ name }) => name === id));
  if (tried.length === 0) return [];
  const row = { group: 'rights', id: 'sources', label: 'What can be traced' } as const;
  const failed = tried.filter(
    ({ status, detail }) => status === 'warn' || !/^(BPF|uprobes)/.test(detail),
  );
  if (failed.length === 0) {
    const names = tried.map(({ label }) => label).join(', ');
    return [{ ...row, status: 'ok', detail: `${names}.` }];
  }
  const names = failed.map(({ label, detail }) => `${label} (${detail})`).join('; ');
  return [{ ...row, status: 'warn', detail: `Not available here: ${names}.` }];
}
