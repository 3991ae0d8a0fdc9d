import type { AgentBuilds } from '../../../src-main/shared/contract/app-calls.ts';

/** How to record a trace with this installation, or why that can't be done with it. */
export function recordingHint({ built, missing }: AgentBuilds): string {
  if (built.length > 0) {
    const agents = built.map(({ path }) => `out/agent/${path}`).join(' or ');
    return `To record one, press “Capture from a GPU host…”, or run “sudo stalltrace-agent record -- python train.py” on the Linux machine with the GPU; the agent is ${agents} in the folder of Stalltrace.`;
  }
  const [reason] = missing;
  const because = reason === undefined ? '' : `: ${reason.why}; ${reason.next}`;
  return `To record one, the capture agent is needed, which is not here${because}.`;
}
