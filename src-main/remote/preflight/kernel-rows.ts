import type { PreflightRow } from '../../shared/remote/preflight.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { type Findings, itemOf, rowOf } from './findings.ts';

/** Beyond this, a trace's times can not be compared with logs from elsewhere. */
const CLOCK_WARN_MS = 5000;

export function kernelRows(findings: Findings): PreflightRow[] {
  const { report, look } = findings;
  const kernel = `Linux ${look.kernel}`;
  return [
    {
      group: 'kernel',
      id: 'architecture',
      label: 'Architecture',
      status: 'ok',
      detail: `${look.machine}: there is an agent for it.`,
    },
    ...rowOf('kernel', report, 'kernel', ({ status }) =>
      status === 'ok'
        ? { detail: `${kernel}: new enough for full captures, which need 5.15.` }
        : {
            detail: `${kernel}: too old for full captures, which need 5.15.`,
            next: 'Use a host with Linux 5.15 or later. Sampling works here.',
          },
    ),
    ...rowOf('kernel', report, 'btf', ({ status, detail }) => {
      if (status === 'ok') return { detail: `The kernel describes its types: ${detail}` };
      if (/sys is not mounted/.test(detail)) return {};
      return {
        detail: 'The kernel does not describe its types (BTF), which full captures need.',
        next: 'Use a host whose kernel was built with CONFIG_DEBUG_INFO_BTF. Sampling works here.',
      };
    }),
    ...rowOf('kernel', report, 'lockdown', ({ status, detail }) => {
      if (status === 'fail')
        return { next: 'Boot the host with lockdown=integrity. Sampling works here.' };
      return detail === 'None.' ? { detail: 'None: the kernel may be read.' } : {};
    }),
    ...rowOf('kernel', report, 'container', ({ detail }) =>
      /none/.test(detail)
        ? { detail: 'The host is not a container.' }
        : {
            detail: detail.replace(/^The agent runs in one/, 'This is a container'),
            next: 'To capture jobs outside it, connect to the machine itself, or start the container with --pid=host --privileged.',
          },
    ),
    ...rowOf('kernel', report, 'virtual_machine', ({ detail }) => ({
      detail: /^Yes/.test(detail)
        ? detail.replace(/^Yes/, 'It is one')
        : 'It is none, or does not say so.',
    })),
    clockRow(findings),
  ];
}

function clockRow({ clock, report }: Findings): PreflightRow {
  const source = itemOf(report, 'clock');
  const kept = source === undefined ? '' : ` Kept by ${source.detail}`;
  const row = { group: 'kernel', id: 'clock', label: 'Clock' } as const;
  if (source?.status === 'warn') {
    const next = source.next === null ? {} : { next: source.next };
    return { ...row, status: 'warn', detail: `${offsetText(clock)}${kept}`, ...next };
  }
  if (clock !== undefined && Math.abs(clock.offsetMs) > CLOCK_WARN_MS) {
    const next = 'Have both clocks set (NTP) to compare the trace with logs from elsewhere.';
    return { ...row, status: 'warn', detail: `${offsetText(clock)}${kept}`, next };
  }
  const status = clock === undefined ? 'info' : 'ok';
  return { ...row, status, detail: `${offsetText(clock)}${kept}` };
}

function offsetText(clock: Findings['clock']): string {
  if (clock === undefined) return 'Its offset from this machine’s clock could not be measured.';
  const { offsetMs, uncertaintyMs } = clock;
  const within = formatDuration(uncertaintyMs * 1e6);
  if (Math.abs(offsetMs) <= uncertaintyMs) return `Agrees with this machine’s, within ${within}.`;
  const side = offsetMs > 0 ? 'Ahead of' : 'Behind';
  return `${side} this machine’s by ${formatDuration(Math.abs(offsetMs) * 1e6)} (± ${within}).`;
}
