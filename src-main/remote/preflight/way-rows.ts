import type { PreflightRow } from '../../shared/remote/preflight.ts';
import type { Findings } from './findings.ts';

/**
 * A row for each thing that a capture can be made from, in the agent's words. What the GPU did is recorded by a library of NVIDIA's:
 * which one was found, or that none was, is said of the way that needs it.
 */
export function wayRows({ report }: Findings): PreflightRow[] {
  return report.tiers.map(({ id, label, available, detail, sees, instead, brings, line }) => {
    const row = { group: 'ways', id: `way-${id.replaceAll('_', '-')}`, label } as const;
    if (available)
      return {
        ...row,
        status: 'ok',
        detail: `${sees.join('. ')}.${id === 'inside' ? ` ${endOfSentence(detail)}` : ''}`,
        ...(line && {
          next: `To record a job that already runs, start its capture, then paste this into the job: ${line}`,
        }),
      };
    return {
      ...row,
      status: 'warn',
      detail: `Not available here: ${endOfSentence(detail)} Instead: ${instead}`,
      next: brings,
    };
  });
}

function endOfSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
