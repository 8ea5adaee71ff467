// The frame around every page: top, rail, tabs, and the lines that say how the page is doing.
import { h, signal } from './view.js';
import { glyph, logo } from './glyph.js';
import { copyButton, news, notice } from './copy.js';
import { closeSample, closedReason, fileInfo, mode, preference, reachable, scope, setPreference } from './door.js';
import { RANGES, amend, forgetAnswers, go, link, meta, project, projectName, range, renew, route } from './state.js';
import { cycleTheme, isNarrow, theme } from './screen.js';
import { rangeWords } from './words.js';
import { said } from './part.js';
import { clock, shortDate, when } from './time.js';
import { stream } from './stream.js';
import { forgetDialog } from './act.js';

// Where the pages are. `count` is the number of `meta` that stands beside the name.
export const PAGES = [
  { group: 'Now', path: '/', name: 'Overview', glyph: 'lanes' },
  { group: 'Now', path: '/live', name: 'Live', glyph: 'pulse' },
  { group: 'Past', path: '/sessions', name: 'Sessions', glyph: 'list', count: 'sessions', also: '/session/' },
  { group: 'Past', path: '/search', name: 'Search', glyph: 'lens' },
  { group: 'Past', path: '/walls', name: 'Walls', glyph: 'bricks', count: 'walls', also: '/wall/' },
  { group: 'Past', path: '/files', name: 'Files', glyph: 'sheet', also: '/file' },
  { group: 'Guidance', path: '/rules', name: 'Rules', glyph: 'barrier', count: 'rules', also: '/rule/' },
  { group: 'Guidance', path: '/told', name: 'Told', glyph: 'bubble' },
  { group: 'Guidance', path: '/hints', name: 'Hints', glyph: 'tag', count: 'hints' },
  { group: 'Guidance', path: '/notes', name: 'Notes', glyph: 'bookmark', count: 'notes', also: '/note/' },
  { group: 'Guidance', path: '/plan', name: 'Plan', glyph: 'nodes', count: 'tasks_open' },
  { group: 'This machine', path: '/health', name: 'Health', glyph: 'gauge' },
];

const TABS = ['/', '/live', '/search', '/rules'];

export const keysOpen = signal(false);
export const menuOpen = signal(null);

const isHere = (page, path) => page.path === path || Boolean(page.also && path.startsWith(page.also) && path !== page.path);

export function shell(content) {
  const narrow = isNarrow();
  return [
    h('a', { class: 'skip', href: '#/', onclick: skip }, 'Skip to the page'),
    top(narrow),
    scope.value === 'edit' ? h('div', { class: 'edit-line', role: 'status' }, 'This page may change things for up to an hour.') : null,
    narrow ? null : rail(),
    h('main', { class: 'main', id: 'main', tabindex: '-1', key: 'main' }, lines(), content, foot()),
    narrow ? tabs() : null,
    h('div', { class: 'notice', role: 'status', 'aria-live': 'polite' }, notice.value ? [h('span', {}, notice.value.text), notice.value.action ? h('button', { class: 'button', onclick: notice.value.action.run }, notice.value.action.name) : null] : null),
    h('div', { class: 'unseen', role: 'status', 'aria-live': 'polite', key: 'news' }, news.value),
    keysOpen.value ? keyList() : null,
    forgetDialog(),
  ];
}

function skip(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

function top(narrow) {
  const closed = mode.value === 'closed';
  return h(
    'header',
    { class: 'top', key: 'top' },
    h('a', { class: 'brand plain', href: link('/'), 'aria-label': 'nudge, overview' }, logo(), h('span', { class: 'brand-name' }, 'nudge')),
    closed ? h('span', { class: 'grow' }) : [projectMenu(), narrow ? null : ranges(), h('span', { class: 'grow' }), narrow || route.value.path === '/search' ? null : searchField(), liveSign(narrow)],
    h('button', { class: 'icon-button', onclick: cycleTheme, 'aria-label': `Theme: ${theme.value}`, title: `Theme: ${theme.value}` }, glyph('theme')),
    h('button', { class: 'icon-button', onclick: () => (keysOpen.value = true), 'aria-label': 'Keys', title: 'Keys' }, glyph('help')),
  );
}

function projectMenu() {
  if (mode.value !== 'live') return h('span', { class: 'project' }, said(projectName() || 'All projects', 'project-name'));
  const open = menuOpen.value === 'project';
  const list = meta.value?.projects || [];
  const twice = (name) => list.filter((one) => one.name === name).length > 1;
  const choose = (root) => () => {
    menuOpen.value = null;
    amend({ p: root });
  };
  const item = (root, name, note) => h('li', { key: root || '' }, h('button', { class: 'menu-item', 'aria-current': root === (project() || '') ? 'true' : undefined, onclick: choose(root) }, said(name), note ? h('span', { class: 'menu-note' }, said(note)) : null));
  return h(
    'div',
    { class: 'menu' },
    h('button', { class: 'project', 'aria-expanded': String(open), onclick: () => (menuOpen.value = open ? null : 'project') }, said(projectName() || 'All projects', 'project-name'), glyph('down')),
    open ? h('ul', { class: 'menu-list' }, item('', 'All projects', ''), list.map((one) => item(one.root, one.name, twice(one.name) ? one.root : one.last_ms ? when(one.last_ms) : ''))) : null,
  );
}

const RANGE_NAMES = { '1h': '1h', today: 'Today', '7d': '7d', '30d': '30d', all: 'All' };

function ranges() {
  const here = range();
  const own = !RANGES.includes(here);
  const choose = (name) => () => {
    renew();
    amend({ r: name === 'today' ? undefined : name });
  };
  const fixed = mode.value !== 'live';
  return h('div', { class: 'ranges', role: 'group', 'aria-label': 'Range' }, RANGES.map((name) => h('button', { key: name, class: 'range', 'aria-pressed': String(name === here), disabled: fixed && name !== here, onclick: choose(name) }, RANGE_NAMES[name])), own ? h('button', { class: 'range', 'aria-pressed': 'true', onclick: choose('today') }, rangeWords(here).replace('from ', '')) : null);
}

// The field on top leads to the page of its name, where the words are looked for as they are typed.
function searchField() {
  const send = (event) => {
    event.preventDefault();
    go('/search', { q: event.target.elements.q.value });
  };
  return h('form', { class: 'search-top', role: 'search', onsubmit: send }, glyph('lens'), h('input', { name: 'q', id: 'search-top', type: 'search', placeholder: 'Search everything', 'aria-label': 'Search everything', autocomplete: 'off', spellcheck: 'false' }), h('kbd', { 'aria-hidden': 'true' }, '/'));
}

const STREAM_NAMES = { live: ['Live', 'on'], waiting: ['Reconnecting', 'off'], asking: ['Asking every 3 s', 'on'], off: ['Not live', 'off'] };

// A page that is no live page says so.
function liveSign(narrow) {
  const names = { report: 'Report', sample: 'Sample' };
  const [name, tone] = Object.hasOwn(names, mode.value) ? [names[mode.value], 'still'] : STREAM_NAMES[stream.value];
  return h('span', { class: `live-sign live-${tone}`, title: name }, glyph(tone === 'on' ? 'live' : 'ring'), h('span', { class: narrow ? 'unseen' : '' }, name));
}

function rail() {
  const path = route.value.path;
  const counts = meta.value?.counts || {};
  const groups = [...new Set(PAGES.map((page) => page.group))];
  const entry = (page) => {
    const n = page.count ? counts[page.count] : 0;
    return h('li', { key: page.path }, h('a', { class: 'rail-link', href: link(page.path), 'aria-current': isHere(page, path) ? 'page' : undefined, title: page.name }, glyph(page.glyph), h('span', { class: 'rail-name' }, page.name), n ? h('span', { class: 'rail-count num' }, String(n)) : null));
  };
  return h(
    'nav',
    { class: 'rail', 'aria-label': 'Pages', key: 'rail' },
    groups.map((group) => h('div', { class: 'rail-group', key: group }, h('h2', { class: 'rail-title' }, group), h('ul', {}, PAGES.filter((page) => page.group === group).map(entry)))),
    h('div', { class: 'rail-foot' }, scope.value === 'edit' ? h('span', { class: 'tone-block rail-scope' }, glyph('pen'), h('span', { class: 'rail-name' }, 'May change things')) : h('span', { class: 'rail-scope' }, glyph('lock'), h('span', { class: 'rail-name' }, 'Read-only')), h('span', { class: 'rail-name num' }, mode.value === 'report' ? 'a file' : location.host)),
  );
}

function tabs() {
  const path = route.value.path;
  const close = () => (menuOpen.value = null);
  const one = (page) => h('a', { key: page.path, class: 'tab', href: link(page.path), 'aria-current': isHere(page, path) ? 'page' : undefined, onclick: close }, glyph(page.glyph), page.name);
  const open = menuOpen.value === 'more';
  const others = PAGES.filter((page) => !TABS.includes(page.path));
  const inMore = others.some((page) => isHere(page, path));
  const sheet = open ? h('div', { class: 'tab-more', id: 'more' }, ranges(), h('ul', { class: 'more-list' }, others.map((page) => h('li', { key: page.path }, h('a', { class: 'more-link', href: link(page.path), 'aria-current': isHere(page, path) ? 'page' : undefined, onclick: close }, glyph(page.glyph), page.name))))) : null;
  return h('nav', { class: 'tabs', 'aria-label': 'Pages', key: 'tabs' }, sheet, TABS.map((tab) => one(PAGES.find((page) => page.path === tab))), h('button', { class: `tab ${inMore ? 'tab-here' : ''}`, 'aria-expanded': String(open), onclick: () => (menuOpen.value = open ? null : 'more') }, glyph('more'), 'More'));
}

// One line on top for what the reader must know.
function lines() {
  const out = [];
  if (mode.value === 'live' && !reachable.value) out.push(h('p', { key: 'gone', class: 'line line-fail', role: 'status' }, 'The server is gone. Reconnecting…'));
  if (mode.value === 'sample') out.push(h('p', { key: 'sample', class: 'line', role: 'status' }, h('span', {}, h('strong', {}, 'Sample data.'), ' Nothing of this is stored.'), h('button', { class: 'button', onclick: leaveSample }, 'Leave the sample')));
  const left = mode.value === 'report' ? fileInfo.value?.left_out : null;
  if (left && route.value.path === '/') out.push(h('p', { key: 'left', class: 'line' }, h('span', {}, h('strong', {}, 'Left out for want of room: '), said(String(left)), '.')));
  return out;
}

function leaveSample() {
  forgetAnswers();
  closeSample();
  renew();
}

function foot() {
  const info = fileInfo.value;
  return h('footer', { class: 'print-foot' }, `${projectName() || 'all projects'} · ${rangeWords(range())} · ${info?.made_ms ? `${shortDate(info.made_ms)}, ${clock(info.made_ms)} · ` : ''}nudge ${info?.version || meta.value?.version || ''}`);
}

export function closedPage() {
  return h(
    'div',
    { class: 'closed' },
    glyph('lock', 'closed-lock'),
    h('h1', {}, 'This page is closed'),
    h('p', {}, 'It opens with a link that works once. Get one in a terminal:'),
    h('div', { class: 'closed-command' }, h('code', {}, 'nudge ui'), copyButton('nudge ui', 'Copy')),
    h('p', { class: 'quiet-text' }, closedReason() ? said(closedReason()) : 'The link you used is older than a minute, was used before, or the server has been restarted since.'),
  );
}

const KEYS = [
  ['/', 'search'],
  ['1 – 9', 'pages, in the order of the rail'],
  ['j k', 'next row, previous row'],
  ['h l', 'earlier, later'],
  ['Enter', 'open'],
  ['Esc', 'back, close'],
  ['d w m', 'today, week, month'],
  ['a', 'next agent'],
  ['p', 'project'],
  ['x', 'only failures and blocks'],
  ['f', 'follow what is new'],
  ['t', 'as a table'],
  ['z', 'fold sub-agents'],
  ['y', 'copy the command that shows the same in a terminal'],
  ['Y', 'copy a link'],
  ['?', 'these keys'],
];

export const keysOn = signal(true);

export function loadKeysSetting() {
  keysOn.value = preference('keys', 'on') === 'on';
}

function keyList() {
  const close = () => (keysOpen.value = false);
  const show = (node) => {
    // A dialog opens once it is in the page.
    queueMicrotask(() => {
      if (node.isConnected && !node.open) node.showModal();
    });
    return () => node.close();
  };
  const flip = (event) => {
    keysOn.value = event.target.checked;
    setPreference('keys', keysOn.peek() ? 'on' : 'off');
  };
  return h(
    'dialog',
    { key: 'keys', class: 'dialog', ref: show, onclose: close, 'aria-labelledby': 'keys-title' },
    h('h2', { id: 'keys-title' }, 'Keys'),
    h('dl', { class: 'keys' }, KEYS.map(([key, what]) => h('div', { class: 'key-row' }, h('dt', {}, key.split(' ').map((one) => (one === '–' ? ' – ' : h('kbd', {}, one)))), h('dd', {}, what)))),
    h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: keysOn.value, onchange: flip }), 'Single keys act'),
    h('div', { class: 'dialog-foot' }, h('button', { class: 'button', onclick: close }, 'Close')),
  );
}
