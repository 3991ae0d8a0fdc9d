import { captureModeSpecs, modeSpec } from '../../shared/capture-modes/modes.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import { EXIT_FAILURE } from '../output/exit-codes.ts';
import { defineHostCommand } from '../remote/host-command.ts';
import type { HostSession } from '../remote/remote-session.ts';
import { fillLines } from '../texts/fill-lines.ts';
import { preflightText } from '../texts/preflight-text.ts';

const WHAT_IT_DOES =
  'What can be captured on a host, and what not and why; and which processes use its GPUs. Puts the agent there to try it, and takes it away again. Exit code';
const CODES = [
  ...captureModeSpecs.map(({ exit }) => `${exit.code}: ${exit.helps},`),
  `${EXIT_FAILURE}: none.`,
];

export const check = defineHostCommand({
  name: 'check',
  summary: 'what can be captured on a GPU host, over SSH',
  description: fillLines([...WHAT_IT_DOES.split(' '), ...CODES], 100).join('\n'),
  run: printCheck,
});

async function printCheck(host: HostSession): Promise<Result<number>> {
  const { app, connection, context, speaker } = host;
  const preflight = await app.handlers['remote.preflight']({ connection }, context);
  if (!preflight.ok) return preflight;
  speaker.step('Listing the processes');
  const listed = await app.handlers['remote.processes']({ connection }, context);
  if (!listed.ok && context.signal.aborted) return listed;
  const processes = listed.ok ? listed.value : undefined;
  speaker.print(preflightText(preflight.value, processes), {
    event: 'preflight',
    preflight: preflight.value,
    ...(processes !== undefined && { processes }),
  });
  const { mode } = preflight.value;
  return ok(mode === 'none' ? EXIT_FAILURE : modeSpec(mode).exit.code);
}
