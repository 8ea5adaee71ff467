// The start: the door first, then the page that the address names.
import { effect, h, mount, untracked } from './view.js';
import { symbols } from './glyph.js';
import { ask, checkScope, enter, mode, scope, scopeUntil } from './door.js';
import { followAddress, followTime, meta, project, refresh, route, sweep, trustClock } from './state.js';
import { beat, startBeat } from './time.js';
import { watchScreen } from './screen.js';
import { closedPage, loadKeysSetting, shell } from './shell.js';
import { listenKeys, pageKeys } from './keys.js';
import { resetLanes } from './lanes.js';
import { overviewPage } from './page/overview.js';
import { sessionPage } from './page/session.js';
import { sessionsPage } from './page/sessions.js';

const ROUTES = [
  ['/', overviewPage],
  ['/sessions', sessionsPage],
  ['/session/', sessionPage],
];

let lastPath = null;

function page() {
  const { path } = route.value;
  if (path !== lastPath) arrive(path);
  for (const [start, show] of ROUTES) {
    if (start === path) return show('');
    if (start.endsWith('/') && start !== '/' && path.startsWith(start)) return show(decodeURIComponent(path.slice(start.length)));
  }
  return h('div', { class: 'nothing' }, h('h1', {}, 'There is no such page'), h('p', { class: 'quiet-text' }, 'The rail has all pages.'));
}

function arrive(path) {
  pageKeys(null, null);
  resetLanes();
  if (lastPath !== null) {
    document.getElementById('main')?.scrollTo(0, 0);
    scrollTo(0, 0);
  }
  lastPath = path;
}

function app() {
  if (mode.value === 'closed') return [symbols(), shell(closedPage())];
  const shown = [symbols(), shell(page())];
  sweep();
  return shown;
}

async function learn() {
  try {
    const answer = await ask('meta', { project: project() });
    meta.value = answer;
    trustClock();
    if (answer.scope) scope.value = answer.scope;
    if (answer.until_ms) scopeUntil.value = answer.until_ms;
  } catch {
    // The pages say it themselves.
  }
}

// What is on the screen is asked for again every half minute while the page is visible.
function keepFresh() {
  effect(() => {
    if (beat.value > 0 && mode.value === 'live') untracked(() => refresh(null));
  });
}

async function start() {
  watchScreen();
  loadKeysSetting();
  await enter();
  followAddress();
  startBeat();
  followTime();
  listenKeys();
  mount(document.getElementById('app'), app);
  keepFresh();
  if (mode.peek() !== 'closed') await learn();
  setInterval(checkScope, 60000);
}

start();
