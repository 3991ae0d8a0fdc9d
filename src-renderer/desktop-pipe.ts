import { BRIDGE_NAME, type DesktopBridge } from '../src-main/contract/api.ts';
import type { FramePipe } from '../src-main/shared/rpc/rpc.ts';

/** What the preload script put on `window`, `undefined` in the browser host. */
export function findDesktopBridge(): DesktopBridge | undefined {
  return (window as unknown as Record<string, DesktopBridge | undefined>)[BRIDGE_NAME];
}

/** Electron's ipc as a pipe. It lives exactly as long as the window, so it never closes. */
export function desktopPipe(bridge: DesktopBridge): FramePipe {
  return {
    post: (frame) => bridge.post(frame),
    onFrame: (listener) => bridge.onFrame(listener),
    onClose: () => undefined,
  };
}
