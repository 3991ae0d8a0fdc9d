import type { PreflightRow } from '../../shared/remote/preflight.ts';
import type { Deployed } from '../deploy/deploy-agent.ts';
import type { HostLook } from '../deploy/host-look.ts';
import type { FoundPrivilege } from '../shell/find-privilege.ts';
import type { CheckItem, CheckReport } from './check-report.ts';
import type { ClockOffset } from './measure-clock.ts';
import type { RunningCaptures } from './running-captures.ts';

/** All that was found out about a host: what the table says is made of it. */
export interface Findings {
  readonly look: HostLook;
  readonly found: FoundPrivilege;
  readonly asRoot: boolean;
  readonly deployed: Deployed;
  readonly report: CheckReport;
  readonly clock: ClockOffset | undefined;
  readonly captures: RunningCaptures;
}

export function itemOf(report: CheckReport, id: string): CheckItem | undefined {
  return report.checks.find((item) => item.id === id);
}

/** A row in the agent's words but for what is `changed`; none where the agent doesn't speak of it. */
export function rowOf(
  group: PreflightRow['group'],
  report: CheckReport,
  id: string,
  changed: (item: CheckItem) => {
    readonly label?: string;
    readonly status?: PreflightRow['status'];
    readonly detail?: string;
    readonly next?: string | undefined;
  } = () => ({}),
): PreflightRow[] {
  const item = itemOf(report, id);
  if (item === undefined) return [];
  const { next: changedNext, ...change } = changed(item);
  const next = changedNext ?? item.next ?? undefined;
  const { label, status, detail } = item;
  const hasNext = next !== undefined && next !== '';
  const row = { group, id: id.replaceAll('_', '-'), label, status, detail, ...change };
  return [{ ...row, ...(hasNext && { next }) }];
}
