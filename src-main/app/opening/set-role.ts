import type { CallError } from '../../contract/contract.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { traceCalls } from '../../shared/contract/trace-calls.ts';
import { withSetRole } from '../../shared/library/set-role.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { ArgumentsOf } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { alive } from '../traces/alive.ts';
import type { OpenTrace } from '../traces/open-traces.ts';

/** Gives an open trace the roles that were set in the investigation `id`. Without a library it has none. */
export async function applyRoles(
  { library, traces }: Services,
  id: number,
  { id: traceId, summary, client }: OpenTrace,
): Promise<Result<TraceSummary, 'process-lost'>> {
  const roles = await library.call('roles', { id });
  if (!roles.ok) return ok(summary);
  // One that was left open may still have some.
  const hasSome = summary.processes.some(({ roleSet }) => roleSet === true);
  if (roles.value.length === 0 && !hasSome) return ok(summary);
  const changed = alive(await client.call('setRoles', { roles: [...roles.value] }));
  if (changed.ok) traces.refresh(traceId, { summary: changed.value });
  else if (changed.error.code !== 'process-lost') throw new Error(changed.error.message);
  return changed as Result<TraceSummary, 'process-lost'>;
}

type Arguments = ArgumentsOf<typeof traceCalls, 'trace.setRole'>;

/** Keeps the role in the library, then has the trace worked out with it. */
export async function setRole(
  { library, traces, emit }: Services,
  { traceId, id, process, role }: Arguments,
): Promise<Result<TraceSummary, CallError<'trace.setRole'>>> {
  const trace = traces.find(traceId);
  if (!trace.ok) return trace;
  const { summary, client } = trace.value;
  const info = summary.processes[process];
  if (info === undefined)
    return fail('not-found', `This trace has no process number ${process}: choose another one.`);
  const before = await library.call('roles', { id });
  if (!before.ok) return before;
  const roles = withSetRole(before.value, summary, info, role);
  const saved = await library.call('saveRoles', { id, roles });
  if (!saved.ok) return saved;
  const changed = alive(await client.call('setRoles', { roles }));
  if (changed.ok) traces.refresh(traceId, { summary: changed.value });
  emit('library.changed', null);
  return changed;
}
