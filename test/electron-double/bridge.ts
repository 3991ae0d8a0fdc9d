import type { Page } from 'playwright-core';
import { BRIDGE_NAME } from '../../src-main/contract/api.ts';
import type { CallArguments, CallName, CallValue } from '../../src-main/contract/contract.ts';
import type { Result } from '../../src-main/shared/rpc/result.ts';

/** Ids the app's own client does not reach. */
let nextId = 1_000_000;

/** Calls the host as the page would, beside whatever the page itself is doing. */
export function callThroughBridge<N extends CallName>(
  page: Page,
  name: N,
  args: CallArguments<N>,
): Promise<Result<CallValue<N>>> {
  const frame = { kind: 'call', id: nextId++, name, args };
  return page.evaluate(`new Promise((resolve) => {
    const bridge = window.${BRIDGE_NAME};
    const frame = ${JSON.stringify(frame)};
    bridge.onFrame((reply) => {
      if (reply.kind === 'result' && reply.id === frame.id) resolve(reply.result);
    });
    bridge.post(frame);
  })`);
}
