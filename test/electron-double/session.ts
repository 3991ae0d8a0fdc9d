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

/** What Electron would answer for `permission`: granted, unless a handler says no. */
async function isGranted(permission: string, origin: string): Promise<boolean> {
  const checked = checkHandler?.(null, permission, origin, {}) ?? true;
  if (requestHandler === undefined) return checked;
  const answer = Promise.withResolvers<boolean>();
  requestHandler(null, permission, answer.resolve, {});
  return checked && (await answer.promise);
}

/** Tells Chromium what the handlers say, for pages of `origin`. */
export async function applyPermissions(cdp: CDPSession, origin: string): Promise<void> {
  for (const [name, permission] of PERMISSIONS) {
    const setting = (await isGranted(permission, origin)) ? 'granted' : 'denied';
    await cdp.send('Browser.setPermission', { permission: { name }, setting, origin });
  }
}

/** Whether a device would be handed out: Electron's default is no, unlike for permissions. */
export function grantsDevices(): boolean {
  return deviceHandler?.({ deviceType: 'usb', origin: 'app://stalltrace', device: {} }) ?? false;
}
