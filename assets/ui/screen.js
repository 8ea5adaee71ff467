// The window: its width, the theme, and whether it is being printed.
import { effect, settle, signal } from './view.js';
import { preference, setPreference } from './door.js';

export const width = signal(innerWidth);
export const printing = signal(false);
export const theme = signal('system');
// Changes when colours changed, so that canvases are drawn again.
export const colours = signal(0);

const NARROW = 720;
const WIDE = 1080;

export const isNarrow = () => width.value < NARROW;
export const isWide = () => width.value >= WIDE;

export function watchScreen() {
  theme.value = preference('theme', 'system');
  addEventListener('resize', () => {
    width.value = innerWidth;
  });
  for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)']) {
    matchMedia(query).addEventListener('change', () => {
      colours.value += 1;
    });
  }
  // Printing does not wait for a frame, so the page is brought up to date at once.
  const print = (on) => () => {
    printing.value = on;
    settle();
  };
  addEventListener('beforeprint', print(true));
  addEventListener('afterprint', print(false));
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
    colours.value = colours.peek() + 1;
  });
}

export function cycleTheme() {
  const order = ['system', 'light', 'dark'];
  theme.value = order[(order.indexOf(theme.peek()) + 1) % order.length];
  setPreference('theme', theme.peek());
}
