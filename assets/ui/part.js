// Small pieces that several pages share: panels, tiles, chips, bars, and the states of a pane.
import { h } from './view.js';
import { glyph } from './glyph.js';
import { agent } from './words.js';
import { clock, clockSeconds, iso, when } from './time.js';
import { link, retry } from './state.js';

export function tile(id, classes) {
  const known = agent(id);
  return h('span', { class: `tile hue-${known.hue} ${classes || ''}`, title: known.name, role: 'img', 'aria-label': known.name }, known.short);
}

// Text of an agent: isolated, in its own direction.
export function said(text, classes) {
  return h('bdi', { class: classes || '', dir: 'auto' }, text ?? '');
}

export function code(text, classes) {
  return h('code', { class: classes || '', dir: 'auto' }, text ?? '');
}

export function timeText(ms, how) {
  const text = how === 'seconds' ? clockSeconds(ms) : how === 'clock' ? clock(ms) : when(ms);
  return h('time', { datetime: iso(ms), class: 'num' }, text);
}

export function chip(text, tone, name) {
  return h('span', { class: `chip ${tone ? `chip-${tone}` : ''}` }, name ? glyph(name) : null, text);
}

export function panel(options, ...children) {
  const head = options.title
    ? h('header', { class: 'panel-head' }, h(options.level || 'h2', { class: 'panel-title' }, options.title), options.note ? h('span', { class: 'panel-note' }, options.note) : null, h('span', { class: 'grow' }), options.side || null)
    : null;
  return h('section', { class: `panel ${options.class || ''}`, key: options.key, 'aria-label': options.label || undefined, tabindex: options.pane ? '-1' : undefined, 'data-pane': options.pane }, head, children);
}

// What a pane shows for an answer: its shape while it loads, the server's sentence if it failed, else the data.
export function pane(answer, slot, show, shape) {
  if (answer.error && !answer.data) return failure(answer.error, slot);
  if (answer.data === null) return answer.slow ? shape || ghosts(4) : h('div', { class: 'waiting' }, shape || ghosts(4));
  return h('div', { class: answer.stale ? 'pane stale' : 'pane', 'aria-busy': answer.stale ? 'true' : undefined }, show(answer.data));
}

export function failure(error, slot) {
  return h(
    'div',
    { class: 'failure', role: 'alert' },
    h('p', { class: 'failure-text' }, glyph('failed', 'tone-fail'), said(sentence(error.message))),
    error.hint ? h('p', { class: 'quiet-text' }, said(error.hint)) : null,
    slot ? h('button', { class: 'button', onclick: () => retry(slot) }, 'Try again') : null,
  );
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// Grey shapes of about the final size.
function ghosts(n, tall) {
  return h('div', { class: `ghosts ${tall || ''}`, 'aria-hidden': 'true' }, Array.from({ length: n }, () => h('div', { class: 'ghost' }, h('span', { class: 'ghost-a' }), h('span', { class: 'ghost-b' }))));
}

export function nothing(title, ...more) {
  return h('div', { class: 'nothing' }, h('p', {}, title), more.length > 0 ? h('p', { class: 'quiet-text' }, more) : null);
}

// A row of choices of which one is pressed.
export function choices(label, list, chosen, choose) {
  return h('div', { class: 'choices', role: 'group', 'aria-label': label }, list.map(([value, text, mark]) => h('button', { key: value, class: 'choice', 'aria-pressed': String(value === chosen), onclick: () => choose(value) }, mark ? glyph(mark) : null, text)));
}

export function linkTo(path, params, classes, ...children) {
  return h('a', { href: link(path, params), class: classes }, children);
}

export const shortId = (id) => String(id ?? '').slice(0, 8);

// A list that becomes a table to assistive technology, with one head.
export function table(classes, heads, rows) {
  return h('table', { class: `table ${classes || ''}` }, h('thead', {}, h('tr', {}, heads.map(([text, cls]) => h('th', { class: cls || '', scope: 'col' }, text)))), h('tbody', {}, rows));
}
