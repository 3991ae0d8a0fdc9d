import { statementProcessCalls } from './app/statement-process/statement-process-calls.ts';
import { createStatementSession } from './app/statement-process/statement-session.ts';
import { endWithParent } from './rpc/end-with-parent.ts';
import { serveParent } from './rpc/parent-port.ts';

/** Entry of the process that runs one SQL statement, which nothing but its end interrupts. */
endWithParent();
serveParent(statementProcessCalls, createStatementSession());
