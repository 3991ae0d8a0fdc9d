/**
 * Node's HTTP. An import of it would read all that it exports, its WebSocket too, for which Node loads
 * the whole of undici: 70 ms of CPU time at each start (Node 24).
 */
export const { createServer, request } = process.getBuiltinModule('node:http');
