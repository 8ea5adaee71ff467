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
import { follow, stream } from './stream.js';
import { takeEvent } from './news.js';
import { overviewPage } from './page/overview.js';
import { livePage } from './page/live.js';
import { sessionPage } from './page/session.js';
import { sessionsPage } from './page/sessions.js';
import { searchPage } from './page/search.js';
import { wallsPage } from './page/walls.js';
import { filesPage } from './page/files.js';
import { rulesPage } from './page/rules.js';
import { toldPage } from './page/told.js';
import { hintsPage } from './page/hints.js';
import { notesPage } from './page/notes.js';
import { planPage } from './page/plan.js';
import { healthPage } from './page/health.js';

const ROUTES = [
  ['/', overviewPage],
  ['/live', livePage],
  ['/sessions', sessionsPage],
  ['/session/', sessionPage],
  ['/search', searchPage],
  ['/walls', wallsPage],
  ['/wall/', wallsPage],
  ['/files', filesPage],
  ['/file', filesPage],
  ['/rules', rulesPage],
  ['/rule/', rulesPage],
  ['/told', toldPage],
  ['/hints', hintsPage],
  ['/notes', notesPage],
  ['/note/', notesPage],
  ['/plan', planPage],
  ['/health', healthPage],
];

// Health starts programs, so it is asked for only when its page opens.
const CHEAP = ['overview', 'density', 'lanes', 'feed', 'sessions', 'session/', 'walls', 'wall/', 'files', 'rules', 'told', 'hints', 'notes', 'plan'];

let lastPath = null;

function page() {
  const { path } = route.value;
  if (path !== lastPath) arrive(path);
  for (const [start, show] of ROUTES) {
    if (start === path) return show('');
    if (start.endsWith('/') && start !== '/' && path.startsWith(start)) return show(decoded(path.slice(start.length)));
  }
  return h('div', { class: 'nothing' }, h('h1', {}, 'There is no such page'), h('p', { class: 'quiet-text' }, 'The rail has all pages.'));
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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

// Without a stream, what is on the screen is asked for again every half minute while the page is visible.
function keepFresh() {
  effect(() => {
    if (beat.value > 0 && mode.value === 'live' && stream.peek() !== 'live') untracked(() => refresh(CHEAP));
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
  if (mode.peek() === 'live') follow((kind, data) => takeEvent(kind, data, learn));
  setInterval(checkScope, 60000);
}

start();
