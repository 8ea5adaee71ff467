// Seven days by the hour, as bars; the window over them is what the lanes show.
import { h, signal } from './view.js';
import { DAY, HOUR, dayAfter, now, shortDay } from './time.js';
import { amend } from './state.js';
import { zoom } from './lanes.js';

const HEIGHT = 30;

// What is dragged: the window follows at once, and the data when it is let go.
const dragged = signal(null);

export const densityQuestion = () => {
  const from = dayAfter(now(), -6);
  return { from_ms: from, to_ms: dayAfter(from, 7), step_ms: HOUR };
};

export function densityBars(data, at) {
  // The answer may begin with the first thing that is remembered; the seven days stay.
  const from = Math.min(data.from_ms, densityQuestion().from_ms);
  const to = from + 7 * DAY;
  const x = (ms) => (100 * (ms - from)) / (to - from);
  const top = Math.max(1, ...data.all);
  const view = dragged.value || at;
  const step = 100 / (7 * 24);
  const bar = (values, base) => values.map((n, i) => (n > 0 ? rect(x(data.from_ms + i * data.step_ms), step, base ? base(i) : 0, Math.max(2, (n / top) * HEIGHT)) : '')).join('');
  const foot = data.failed.map((n, i) => (n > 0 ? rect(x(data.from_ms + i * data.step_ms), step, 0, 2.5) : '')).join('');
  const caps = data.blocked.map((n, i) => (n > 0 ? rect(x(data.from_ms + i * data.step_ms), step, Math.max(2, (data.all[i] / top) * HEIGHT) + 1, 2) : '')).join('');
  const days = Array.from({ length: 7 }, (_, i) => dayAfter(from, i));
  return h(
    'div',
    { class: 'density', 'aria-hidden': 'true' },
    h('svg', { class: 'density-bars', viewBox: `0 0 100 ${HEIGHT + 4}`, preserveAspectRatio: 'none', focusable: 'false' }, h('path', { d: bar(data.all), class: 'fill-quiet' }), h('path', { d: foot, class: 'fill-fail' }), h('path', { d: caps, class: 'fill-block' })),
    days.map((day, i) => h('span', { class: 'density-day', style: { left: `${x(day)}%` } }, i === 0 || x(day) > 3 ? shortDay(day) : '')),
    windowHandle(view, x, from, to),
  );
}

function rect(x, width, from, tall) {
  const y = HEIGHT + 4 - from - tall;
  return `M${x.toFixed(2)} ${y.toFixed(1)}h${(width * 0.8).toFixed(2)}v${tall.toFixed(1)}h${(-width * 0.8).toFixed(2)}z`;
}

function windowHandle(view, x, from, to) {
  const left = Math.max(0, x(view.from));
  const right = Math.min(100, x(view.to));
  if (right <= left) return null;
  const begin = (event) => {
    const box = event.currentTarget.parentNode.getBoundingClientRect();
    const start = event.clientX;
    const node = event.currentTarget;
    node.setPointerCapture(event.pointerId);
    node.onpointermove = (move) => {
      const by = ((move.clientX - start) / box.width) * (to - from);
      dragged.value = { from: view.from + by, to: view.to + by };
    };
    node.onpointerup = () => {
      node.onpointermove = null;
      node.onpointerup = null;
      if (dragged.peek()) showWindow(dragged.peek());
      dragged.value = null;
    };
  };
  return h('span', { class: 'density-window', style: { left: `${left}%`, width: `max(8px, ${right - left}%)` }, onpointerdown: begin });
}

// Another part of time: of the range a closer look, outside of it another range.
export function showWindow(view) {
  const end = Math.min(view.to, now());
  zoom.value = null;
  amend({ r: `${Math.round(view.from)}-${Math.round(end)}` });
}

