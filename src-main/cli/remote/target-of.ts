import type { App } from '../../app/app.ts';
import { type HostTarget, hostTarget } from '../../shared/remote/host-target.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { HostOptions } from '../arguments/host-options.ts';

/** What the options come to. What a line in HOST says of the same holds less than an option. */
export async function targetOf(
  app: App,
  options: HostOptions,
  context: CallContext,
): Promise<Result<HostTarget>> {
  const parsed = await app.handlers['remote.parseTarget']({ text: options.host }, context);
  if (!parsed.ok) return parsed;
  const { port, identityFiles, jumps, systemSsh } = options;
  const target = hostTarget.safeParse({
    ...parsed.value,
    ...(port !== undefined && { port }),
    ...(identityFiles.length > 0 && { identityFiles }),
    ...(jumps.length > 0 && { jumps }),
    ...(systemSsh && { transport: 'system' }),
  });
  if (target.success) return ok(target.data);
  const what = { identityFiles: '-i', jumps: '-J' }[String(target.error.issues[0]?.path[0])];
  const value = what === '-J' ? jumps.join(',') : identityFiles.join(' ');
  const message = `${what ?? 'HOST'} ${cleanText(value, 200)} can't be used: give at most eight, each a name as ssh takes it.`;
  return fail('bad-target', message);
}
