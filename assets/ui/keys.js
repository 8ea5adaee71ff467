// Single keys. None acts in a field, and all of them can be switched off.
import { PAGES, keysOn, keysOpen, menuOpen } from './shell.js';
import { amend, go, meta, renew, route } from './state.js';
import { asTable, closePopover, foldedSubs, onlyLoud } from './lanes.js';
import { copy } from './copy.js';
import { mode } from './door.js';

// What the page on the screen adds: a map from key to work, and the command for `y`.
let own = { keys: {}, command: () => '' };

export function pageKeys(keys, command) {
  own = { keys: keys || {}, command: command || (() => '') };
}

const inField = (node) => node.closest('input, textarea, select, [contenteditable]') !== null;

export function listenKeys() {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === 'Escape') {
      escape(event);
      return;
    }
    if (!keysOn.peek() || inField(event.target) || document.querySelector('dialog[open]') || mode.peek() === 'closed') return;
    const work = own.keys[event.key] || COMMON[event.key] || pageKey(event.key);
    if (!work) return;
    if (work(event) !== false) event.preventDefault();
  });
}

function pageKey(key) {
  const page = /^[1-9]$/.test(key) ? PAGES[Number(key) - 1] : null;
  return page ? () => go(page.path) : null;
}

function escape(event) {
  if (menuOpen.peek()) {
    menuOpen.value = null;
    return;
  }
  if (closePopover()) return;
  if (inField(event.target)) {
    own.keys.EscapeField?.(event);
    return;
  }
  own.keys.Escape?.(event);
}

const setRange = (name) => () => {
  renew();
  amend({ r: name });
};

const flip = (setting) => () => {
  setting.value = !setting.peek();
};

function nextAgent() {
  const all = (meta.peek()?.agents || []).map((one) => one.id);
  const at = all.indexOf(route.peek().params.agent);
  amend({ agent: all[at + 1] });
}

// The field of the page, or the page of the field.
function toSearch() {
  const field = document.getElementById('search');
  if (field) field.focus();
  else go('/search');
}

const COMMON = {
  '/': toSearch,
  '?': () => (keysOpen.value = true),
  d: setRange(undefined),
  w: setRange('7d'),
  m: setRange('30d'),
  a: nextAgent,
  p: () => {
    menuOpen.value = 'project';
    requestAnimationFrame(() => document.querySelector('.menu-item')?.focus());
  },
  f: () => go('/live'),
  x: flip(onlyLoud),
  t: flip(asTable),
  z: flip(foldedSubs),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  y: () => {
    if (own.command()) copy(own.command());
  },
  Y: () => copy(location.href),
};

// The rows of the pane with the focus, or else of the first pane.
function moveRow(by) {
  const pane = document.activeElement.closest('[data-rows]') || document.querySelector('[data-rows]');
  if (!pane) return;
  const rows = [...pane.querySelectorAll('[data-row]')];
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}
