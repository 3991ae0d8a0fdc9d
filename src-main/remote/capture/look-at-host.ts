import { z } from 'zod';
import type { HostError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { HostSession } from '../shell/host-session.ts';

/** $1: a trace. Its size by `ls`, which needs no reading of it. */
const LOOK = `
echo "boot $(cat /proc/sys/kernel/random/boot_id)"
echo "btime $(sed -n 's/^btime //p' /proc/stat)"
if [ -f "$1" ] && [ ! -L "$1" ]; then
  set -- $(ls -dn -- "$1")
  echo "size $5"
fi
`;

/** The year 9999: no later one is a date that can be shown. */
const LATEST_UNIX_S = 253_402_300_799;

const answer = z.object({
  boot: z.string().regex(/^[0-9a-f-]{36}$/),
  btime: z.coerce.number().int().positive().max(LATEST_UNIX_S),
  size: z.coerce.number().int().nonnegative().optional(),
});

export interface HostNow {
  readonly bootId: string;
  /** Unix ms. */
  readonly bootedAtMs: number;
  /** Of the trace; absent: it is not there. */
  readonly traceBytes: number | undefined;
}

/** Which boot of the host this is, and what is left of a trace. */
export async function lookAtHost(
  session: Pick<HostSession, 'runScript'>,
  traceFile: string,
  signal: AbortSignal,
): Promise<Result<HostNow, HostError | 'cancelled'>> {
  const ran = await session.runScript(LOOK, [traceFile], { signal });
  if (!ran.ok) return ran;
  const lines = ran.value.stdout.split('\n').map((line) => line.split(' ', 2));
  const parsed = answer.safeParse(Object.fromEntries(lines.filter(({ length }) => length === 2)));
  if (!parsed.success)
    return fail(
      'no-shell',
      'The host did not say which boot this is: check that /proc is mounted there.',
      ran.value.stderr,
    );
  const { boot, btime, size } = parsed.data;
  return ok({ bootId: boot, bootedAtMs: btime * 1000, traceBytes: size });
}
