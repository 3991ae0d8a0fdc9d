import { eventPalette } from '../../timeline/model/colours.ts';

/** Colours of a picture: those of the screen, src-renderer/theme.css. */
export interface PictureTheme {
  readonly name: 'light' | 'dark';
  readonly background: string;
  readonly panel: string;
  readonly text: string;
  readonly muted: string;
  readonly border: string;
  readonly accent: string;
  /** The event palette by index. */
  readonly fills: readonly string[];
}

const hex = (channels: readonly number[]): string =>
  channels.reduce((text, channel) => text + channel.toString(16).padStart(2, '0'), '#');

export const pictureThemes: Readonly<Record<'light' | 'dark', PictureTheme>> = {
  light: {
    name: 'light',
    background: '#f3f5f7',
    panel: '#ffffff',
    text: '#1b2127',
    muted: '#55606b',
    border: '#d5dbe1',
    accent: '#0a5ea8',
    fills: eventPalette('light').map(hex),
  },
  dark: {
    name: 'dark',
    background: '#12161a',
    panel: '#1a1f25',
    text: '#e3e8ed',
    muted: '#9da8b3',
    border: '#303841',
    accent: '#74b6f2',
    fills: eventPalette('dark').map(hex),
  },
};
