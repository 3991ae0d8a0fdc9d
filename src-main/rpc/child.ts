import type { LaunchedProcess } from '../shared/platform.ts';
import {
  type CallTable,
  createRpcClient,
  type ReplyFrame,
  type RpcClient,
} from '../shared/rpc/rpc.ts';

/** A child process as its host sees it. */
export interface Child<Table extends CallTable> {
  readonly client: RpcClient<Table>;
  readonly process: LaunchedProcess;
}

/** Connects to the `Table` that a launched process serves with serveParent. */
export function connectChild<Table extends CallTable>(process: LaunchedProcess): Child<Table> {
  const client = createRpcClient<Table>({
    post: (frame) => process.post(frame),
    onFrame: (listener) => process.onMessage((message) => listener(message as ReplyFrame)),
    onClose: (listener) => process.onExit(listener),
  });
  return { client, process };
}
