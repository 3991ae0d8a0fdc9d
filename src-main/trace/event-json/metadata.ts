import type { EventTasks } from './tasks.ts';
import type { TextTable } from './text-table.ts';
import type { TraceEvent } from './trace-event.ts';

/** Longer is no name. */
const MAX_ARGS_BYTES = 2 ** 16;

/** Reads an event of metadata (`ph` M): what a process or thread is called. */
export function readMetadata(
  event: TraceEvent,
  bytes: Buffer,
  texts: TextTable,
  tasks: EventTasks,
  thread: (name: string) => string = (name) => name,
): void {
  const what = texts.texts[event.name];
  if (what !== 'process_name' && what !== 'thread_name') return;
  const name = nameIn(event, bytes);
  if (name === undefined) return;
  if (what === 'process_name') tasks.nameProcess(event.process, name);
  else tasks.nameThread(event.process, event.thread, thread(name));
}

function nameIn({ argsFrom, argsTo }: TraceEvent, bytes: Buffer): string | undefined {
  if (argsTo === 0 || argsTo - argsFrom > MAX_ARGS_BYTES) return undefined;
  try {
    const { name } = JSON.parse(bytes.toString('utf8', argsFrom, argsTo)) as { name?: unknown };
    return typeof name === 'string' ? name.trim() : undefined;
  } catch {
    return undefined;
  }
}
