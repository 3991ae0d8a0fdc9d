import type { CDPSession } from 'playwright-core';
import { requireReady, strict } from './strict.ts';

type RequestHandler = (
  contents: unknown,
  permission: string,
  callback: (granted: boolean) => void,
  details: object,
) => void;
type CheckHandler = (
  contents: unknown,
  permission: string,
  origin: string,
  details: object,
) => boolean;
type DeviceHandler = (details: object) => boolean;

/** Chromium's name of a permission, and Electron's. */
const PERMISSIONS = [
  ['geolocation', 'geolocation'],
  ['notifications', 'notifications'],
  ['camera', 'media'],
  ['microphone', 'media'],
  ['clipboard-read', 'clipboard-read'],
  ['midi', 'midi'],
] as const;

let requestHandler: RequestHandler | undefined;
let checkHandler: CheckHandler | undefined;
let deviceHandler: DeviceHandler | undefined;

const defaultSession = strict('session.defaultSession', {
  setPermissionRequestHandler(handler: RequestHandler): void {
    requestHandler = handler;
  },
  setPermissionCheckHandler(handler: CheckHandler): void {
    checkHandler = handler;
  },
  setDevicePermissionHandler(handler: DeviceHandler): void {
    deviceHandler = handler;
  },
});

export const sessionDouble = {
  get defaultSession() {
    requireReady('session.defaultSession');
    return defaultSession;
  },
};

/** What each handler says to `permission`; Electron grants what none refuses, devices apart. */
export async function permissionAnswers(permission: string, origin: string) {
  const answer = Promise.withResolvers<boolean>();
  if (requestHandler === undefined) answer.resolve(true);
  else requestHandler(null, permission, answer.resolve, {});
  return {
    request: await answer.promise,
    check: checkHandler?.(null, permission, origin, {}) ?? true,
    device: deviceHandler?.({ deviceType: permission, origin, device: {} }) ?? false,
  };
}

/** Tells Chromium what the handlers say, for pages of `origin`. */
export async function applyPermissions(cdp: CDPSession, origin: string): Promise<void> {
  for (const [name, permission] of PERMISSIONS) {
    const { request, check } = await permissionAnswers(permission, origin);
    const setting = request && check ? 'granted' : 'denied';
    await cdp.send('Browser.setPermission', { permission: { name }, setting, origin });
  }
}
