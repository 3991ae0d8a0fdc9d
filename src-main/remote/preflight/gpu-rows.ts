import type { PreflightRow } from '../../shared/remote/preflight.ts';
import { plural } from '../../shared/text/units.ts';
import type { CheckReport } from './check-report.ts';
import { itemOf, rowOf } from './findings.ts';

export interface HostGpus {
  /** One for each GPU that is named. */
  readonly names: readonly string[];
  readonly detail: string;
  readonly driver: string;
}

/** `2: 0, NVIDIA H200, 550.54, 143771 MiB; 1, …. CUDA of the driver: 12.4.`, as the agent prints it. */
export function readGpus(report: CheckReport): HostGpus | undefined {
  const item = itemOf(report, 'gpu');
  const match = /^(\d+): (.*)\. CUDA of the driver: (.*)\.$/.exec(item?.detail ?? '');
  if (!match) return undefined;
  const [, count = '', list = '', cuda = ''] = match;
  const gpus = list.split('; ').map((line) => line.split(', '));
  const kinds = new Map<string, number>();
  for (const [, name = '?', , memory = '?'] of gpus) {
    const kind = `${name} (${memory})`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const each = [...kinds].map(([kind, many]) => (many === 1 ? kind : `${many} × ${kind}`));
  return {
    names: gpus.flatMap(([, name]) => (name === undefined ? [] : [name])),
    detail: `${plural(Number(count), 'GPU')}: ${each.join(', ')}.`,
    driver: `NVIDIA ${gpus[0]?.[2] ?? '?'}, for CUDA up to ${cuda}.`,
  };
}

export function gpuRows(report: CheckReport): PreflightRow[] {
  const gpus = readGpus(report);
  return [
    ...rowOf('gpu', report, 'gpu', () => (gpus === undefined ? {} : { detail: gpus.detail })),
    ...(gpus === undefined
      ? []
      : [
          {
            group: 'gpu',
            id: 'driver',
            label: 'Driver',
            status: 'ok',
            detail: gpus.driver,
          } as const,
        ]),
    ...rowOf('gpu', report, 'gpu_processes', ({ detail }) => ({
      detail: /^0\b/.test(detail) ? 'None uses a GPU now.' : `${detail}.`,
    })),
    ...rowOf('gpu', report, 'cuda_libraries', ({ detail, status }) =>
      status === 'ok' ? { detail: `${detail}.` } : {},
    ),
    ...rowOf('gpu', report, 'slow_probes', () => ({})),
    ...rowOf('gpu', report, 'pytorch', ({ detail }) => ({
      detail: detail.endsWith('.') ? detail : `${detail}.`,
    })),
    ...rowOf('gpu', report, 'seccomp', ({ status }) =>
      status === 'warn' ? { label: 'Probes slowed or left out' } : { label: 'System call filters' },
    ),
  ];
}
