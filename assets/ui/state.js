// What the page is looking at: the address, the range, the project, and the answers it has.
import { effect, signal, untracked } from './view.js';
import { address, ask, AskError, fileInfo, mode } from './door.js';
import { DAY, HOUR, MINUTE, beat, midnight, now } from './time.js';

export const RANGES = ['1h', 'today', '7d', '30d', 'all'];
const MAX_KEPT = 60;
const SLOW_MS = 150;
const STALE_MS = 400;

// {path, params}: what stands behind the # of the address.
export const route = signal(parseHash(''));
export const meta = signal(null);

function parseHash(hash) {
  const [path, query] = hash.replace(/^#/, '').split('?');
  const params = {};
  for (const [name, value] of new URLSearchParams(query || '')) params[name] = value;
  return { path: decodeSafely(path) || '/', params };
}

function decodeSafely(text) {
  try {
    return decodeURI(text || '');
  } catch {
    return text || '';
  }
}

export function followAddress() {
  const read = () => {
    route.value = parseHash(location.hash);
  };
  addEventListener('hashchange', read);
  addEventListener('popstate', read);
  read();
}

// The address of a page with range and project kept.
export function link(path, params) {
  const [page, query] = path.split('?');
  const all = {};
  const here = route.value.params;
  if (here.p) all.p = here.p;
  if (here.r) all.r = here.r;
  for (const [name, value] of new URLSearchParams(query || '')) all[name] = value;
  return `#${address(page, { ...all, ...params })}`;
}

export function go(path, params) {
  const next = link(path, params);
  if (next === location.hash) return;
  history.pushState(null, '', next);
  route.value = parseHash(next);
}

// Changes parameters of this page without a step in the history.
export function amend(params) {
  const next = `#${address(encodeURI(route.peek().path), { ...route.peek().params, ...params })}`;
  history.replaceState(null, '', next);
  route.value = parseHash(next);
}

// A report is of the days that it was made for.
function fileRange(info) {
  if (info?.range && info.range !== 'all') return info.range;
  return info?.from_ms > 0 && info.to_ms ? `${info.from_ms}-${info.to_ms}` : 'all';
}

export const range = () => {
  if (mode.value !== 'live') return fileRange(fileInfo.value);
  return route.value.params.r || 'today';
};

// Moves when the data should be asked for again.
const epoch = signal(0);
let started = now();

export function renew() {
  started = now();
  epoch.value += 1;
}

// The first answer brings the server's clock; a range that was made before it is made again.
export function trustClock() {
  if (Math.abs(now() - started) > MINUTE) renew();
}

// The range as times. The end is open while it is now.
export function times() {
  epoch.value;
  if (mode.value !== 'live') return { from_ms: fileInfo.value?.from_ms ?? 0, to_ms: fileInfo.value?.to_ms ?? now() };
  const name = range();
  const own = /^(\d+)-(\d+)$/.exec(name);
  if (own) return { from_ms: Number(own[1]), to_ms: Number(own[2]) };
  const minute = Math.floor(started / MINUTE) * MINUTE;
  if (name === '1h') return { from_ms: minute - HOUR };
  if (name === '7d') return { from_ms: midnight(started - 6 * DAY) };
  if (name === '30d') return { from_ms: midnight(started - 29 * DAY) };
  if (name === 'all') return {};
  return { from_ms: midnight(started) };
}

// The chosen project: its root folder in the address; absent means all.
export function project() {
  if (mode.value !== 'live') return null;
  return route.value.params.p || null;
}

// With all projects on the screen, what belongs to one of them has to wait for a choice.
export const needsProject = () => mode.value === 'live' && !project() && (meta.value?.projects || []).length > 0;

function projectOf(root) {
  return (meta.value?.projects || []).find((one) => one.root === root) || null;
}

export function projectName() {
  if (mode.value !== 'live') return fileInfo.value?.project || null;
  const root = project();
  if (!root) return null;
  return projectOf(root)?.name || root.split('/').pop();
}

export const common = () => ({ project: project(), ...times(), agent: agents() });

export const agents = () => (route.value.params.agent ? route.value.params.agent.split(',') : undefined);

// Answers by what is asked, without the times: a new range replaces the old answer in place.
const slots = new Map();
let used = new Set();
let shown = new Set();

// Returns {data, error, slow, stale, pending}; asks when the address is new, and keeps the old data until the answer.
export function use(path, params, slotName) {
  const full = address(path, params);
  const name = slotName || path;
  let slot = slots.get(name);
  if (!slot) {
    slot = { at: null, path, params, abort: null, timers: [], state: signal(fresh(null)) };
    slots.set(name, slot);
  }
  used.add(name);
  if (slot.at !== full) {
    slot.at = full;
    slot.path = path;
    slot.params = params;
    untracked(() => request(slot));
  }
  return slot.state.value;
}

const fresh = (data) => ({ data, error: null, slow: false, stale: false, pending: true });

function request(slot) {
  cancel(slot);
  const before = slot.state.peek();
  slot.state.value = { ...before, pending: true, error: before.data ? null : before.error };
  const abort = new AbortController();
  slot.abort = abort;
  const late = (change) => () => {
    if (slot.abort === abort) slot.state.value = { ...slot.state.peek(), ...change };
  };
  if (before.data === null) slot.timers.push(setTimeout(late({ slow: true }), SLOW_MS));
  else slot.timers.push(setTimeout(late({ stale: true }), STALE_MS));
  ask(slot.path, slot.params, { signal: abort.signal }).then(
    (data) => settleSlot(slot, abort, { data, error: null }),
    (error) => {
      if (error.name === 'AbortError') return;
      const kind = error instanceof AskError ? error : new AskError('page', `the page could not read the answer: ${error.message}`, '');
      settleSlot(slot, abort, { data: kind.code === 'gone' ? slot.state.peek().data : null, error: kind });
    },
  );
}

function settleSlot(slot, abort, result) {
  if (slot.abort !== abort) return;
  cancel(slot);
  slot.state.value = { ...result, slow: false, stale: false, pending: false };
}

function cancel(slot) {
  for (const timer of slot.timers) clearTimeout(timer);
  slot.timers = [];
  if (slot.abort) slot.abort.abort();
  slot.abort = null;
}

// Called after a page was drawn: what it no longer uses is not waited for.
export function sweep() {
  for (const [name, slot] of slots) {
    if (used.has(name)) continue;
    if (slot.abort) {
      cancel(slot);
      slot.at = null;
    }
    if (slots.size > MAX_KEPT) slots.delete(name);
  }
  shown = used;
  used = new Set();
}

// Asks again for what is on the screen and begins with one of these words; the rest is asked for when it is shown.
export function refresh(words) {
  for (const [name, slot] of slots) {
    if (words && !words.some((word) => slot.path.startsWith(word))) continue;
    if (shown.has(name)) request(slot);
    else slot.at = null;
  }
}

export function retry(slotName) {
  const slot = slots.get(slotName);
  if (slot) request(slot);
}

export function forgetAnswers() {
  for (const slot of slots.values()) cancel(slot);
  slots.clear();
}

// Changes the data of an answer in place, for what the stream brings.
export function change(name, work) {
  const slot = slots.get(name);
  const state = slot?.state.peek();
  if (!state?.data) return;
  const data = work(state.data);
  if (data !== state.data) slot.state.value = { ...state, data };
}

// A range that ends now moves on; once in five minutes is enough, the stream brings the rest.
export function followTime() {
  effect(() => {
    beat.value;
    if (untracked(() => now() - started) > 5 * MINUTE) renew();
  });
}
