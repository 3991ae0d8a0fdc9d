import { EventEmitter } from 'node:events';

/** Loaded before a utility process's entry: gives it what Electron does, takes what Electron doesn't have. */

const toParent = process.send?.bind(process);
if (toParent === undefined) throw new Error('electron double: no channel to the parent');
const early: unknown[] = [];

class ParentPort extends EventEmitter {
  postMessage(message: unknown): void {
    toParent?.(structuredClone(message));
  }
}
const port = new ParentPort();

function deliver(data: unknown): void {
  // A port queues until somebody listens.
  if (port.listenerCount('message') === 0) early.push(data);
  else port.emit('message', { data, ports: [] });
}
port.on('newListener', (event) => {
  if (event !== 'message') return;
  queueMicrotask(() => {
    for (const data of early.splice(0)) deliver(data);
  });
});

process.on('message', deliver);
process.on('disconnect', () => process.exit(0));
Object.defineProperty(process, 'parentPort', { value: port });
Object.defineProperty(process, 'type', { value: 'utility' });
Object.defineProperty(process, 'send', { value: undefined });
