import { WebSocket } from 'ws';
import type { CallArguments, CallName, CallValue } from '../../../src-main/contract/contract.ts';
import type { Result } from '../../../src-main/shared/rpc/result.ts';
import { startBrowserHost } from '../../support/page/browser-host.ts';
import { openPage } from '../../support/page/browser-page.ts';
import { type Asked, explainDuringDiagnosis } from './during-diagnosis.ts';

type Call = <N extends CallName>(name: N, args: CallArguments<N>) => Promise<CallValue<N>>;

/** Calls of one page, which may wait beside one another. */
function callerOf(socket: WebSocket): Call {
  let last = 0;
  return (name, args) => {
    const id = ++last;
    return new Promise((resolve, reject) => {
      const onMessage = (data: unknown) => {
        const frame = JSON.parse(String(data)) as {
          kind: string;
          id: number;
          result: Result<never>;
        };
        if (frame.kind !== 'result' || frame.id !== id) return;
        socket.off('message', onMessage);
        if (frame.result.ok) resolve(frame.result.value);
        else reject(new Error(frame.result.error.message));
      };
      socket.on('message', onMessage);
      socket.send(JSON.stringify({ kind: 'call', id, name, args }));
    });
  };
}

/** Explanations during a diagnosis as a page asks for them: through its socket, of a host of its own. */
export async function explainThroughHost(path: string): Promise<Asked> {
  const host = await startBrowserHost(['--root', path]);
  try {
    const socket = await (await openPage(host)).openSocket();
    if (!(socket instanceof WebSocket)) throw new Error(`the host closed: ${socket.reason}`);
    const call = callerOf(socket);
    const { traceId, summary } = await call('trace.openFile', { path });
    const asked = await explainDuringDiagnosis(
      summary.tables.cuda_call.rows,
      (row) => call('trace.explain', { traceId, call: row }),
      () => call('trace.diagnose', { traceId }),
    );
    socket.close();
    return asked;
  } finally {
    await host.stop();
  }
}
