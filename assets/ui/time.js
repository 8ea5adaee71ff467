// Times: the clock of the page, and how a time or a length of time is written.
import { signal } from './view.js';

export const MINUTE = 60000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

// The server's clock counts; a sample and a report have one that stands still.
let ahead = 0;
let fixed = null;

// Changes every half minute, so that what says "2 m ago" stays true.
export const beat = signal(0);

export function setClock(serverMs) {
  ahead = serverMs - Date.now();
}

export function fixClock(atMs) {
  fixed = atMs;
}

export function now() {
  return fixed === null ? Date.now() + ahead : fixed;
}

export function startBeat() {
  setInterval(() => {
    if (!document.hidden) beat.value += 1;
  }, 30000);
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const two = (n) => String(n).padStart(2, '0');

export function clock(ms) {
  const at = new Date(ms);
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function clockSeconds(ms) {
  return `${clock(ms)}:${two(new Date(ms).getSeconds())}`;
}

export function midnight(ms) {
  const at = new Date(ms);
  at.setHours(0, 0, 0, 0);
  return at.getTime();
}

// The start of the day that many days later, also over a change of the clocks.
export function dayAfter(ms, days) {
  const at = new Date(ms);
  at.setHours(0, 0, 0, 0);
  at.setDate(at.getDate() + days);
  return at.getTime();
}

const isToday = (ms) => midnight(ms) === midnight(now());

export function shortDay(ms) {
  const at = new Date(ms);
  return `${WEEKDAYS[at.getDay()].slice(0, 3)} ${at.getDate()}`;
}

export function dayMonth(ms) {
  const at = new Date(ms);
  return `${at.getDate()} ${MONTHS[at.getMonth()]}`;
}

export function shortDate(ms) {
  const at = new Date(ms);
  const year = at.getFullYear() === new Date(now()).getFullYear() ? '' : ` ${at.getFullYear()}`;
  return `${at.getDate()} ${MONTHS[at.getMonth()].slice(0, 3)}${year}`;
}

export function longDay(ms) {
  return `${WEEKDAYS[new Date(ms).getDay()]} ${dayMonth(ms)}`;
}

// As people write it: the clock today, the weekday within a week, else the date.
export function when(ms) {
  if (isToday(ms)) return clock(ms);
  if (ms > now() - 6 * DAY && ms < now()) return `${shortDay(ms).slice(0, 3)} ${clock(ms)}`;
  return `${shortDate(ms)}, ${clock(ms)}`;
}

// A length of time: 22 s, 8 m, 1 h 22 m, 3 d.
export function span(ms) {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
  return `${Math.floor(minutes / 1440)} d`;
}

export const iso = (ms) => new Date(ms).toISOString();

const STEPS = [5, 10, 15, 30, 60, 120, 180, 360, 720].map((n) => n * MINUTE);

// The ticks of an axis: round times of this zone, at most one in `room` pixels.
export function ticks(fromMs, toMs, width, room) {
  const wanted = ((toMs - fromMs) / Math.max(1, width)) * room;
  const step = STEPS.find((one) => one >= wanted);
  const out = [];
  if (step) {
    const base = midnight(fromMs);
    for (let at = base + Math.ceil((fromMs - base) / step) * step; at <= toMs; at += step) out.push({ at, text: midnight(at) === at && toMs - fromMs > DAY ? shortDay(at) : clock(at) });
    return out;
  }
  const days = Math.ceil(wanted / DAY);
  for (let at = dayAfter(fromMs, 1); at <= toMs && out.length < 400; at = dayAfter(at, days)) out.push({ at, text: days > 6 ? shortDate(at) : shortDay(at) });
  return out;
}

// The same time of day in this zone as that time is in UTC.
export const zoneShift = (ms) => ms + new Date(ms).getTimezoneOffset() * MINUTE;

// A time as files write it; 0 if it is not one.
export function parseTime(text) {
  const at = text ? Date.parse(text) : NaN;
  return Number.isFinite(at) ? at : 0;
}
