// Small pieces that several pages share: panels, tiles, chips, bars, and the states of a pane.
import { h } from './view.js';
import { glyph } from './glyph.js';
import { agent, rangeWords } from './words.js';
import { clock, clockSeconds, iso, when } from './time.js';
import { link, range, retry } from './state.js';

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

// The output of a failure: the words that runners put before a failure stand out. All of it is text.
const LOUD_START = /^(\s*)(FAILED|FAIL|ERROR|error(?:\[\w+\])?:|Error:|fatal:|panicked)(?=[\s:]|$)/;

export function failureText(text, words) {
  const line = (one, index, all) => {
    const end = index < all.length - 1 ? '\n' : '';
    const found = LOUD_START.exec(one);
    if (!found) return underlined(one + end, words);
    const [whole, space, word] = found;
    return [space, h('span', { class: 'tone-fail', key: index }, word), underlined(one.slice(whole.length) + end, words)];
  };
  return String(text).split('\n').map(line);
}

// A text in which words that were looked for are underlined.
export function underlined(text, words) {
  const lower = text.toLowerCase();
  if (!words || words.length === 0 || lower.length !== text.length) return text;
  const out = [];
  let at = 0;
  while (at < text.length) {
    const found = words.map((word) => ({ word, from: lower.indexOf(word, at) })).filter((one) => one.from >= 0);
    if (found.length === 0) break;
    const next = found.reduce((best, one) => (one.from < best.from || (one.from === best.from && one.word.length > best.word.length) ? one : best));
    const end = next.from + next.word.length;
    out.push(text.slice(at, next.from), h('mark', {}, text.slice(next.from, end)));
    at = end;
  }
  out.push(text.slice(at));
  return out;
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

// That there is nothing in the range, and where a wider one is.
export function nothingIn(title) {
  const all = range() === 'all';
  return nothing(`${title} ${all ? 'yet' : rangeWords(range())}.`, ...(all ? [] : ['A wider range is at the top.']));
}

// A path in one line: of its folders only what has room, and always the name.
export function pathText(path) {
  const text = String(path ?? '');
  const at = text.lastIndexOf('/') + 1;
  return h('span', { class: 'path', title: text }, at > 0 ? code(text.slice(0, at), 'path-folder') : null, code(text.slice(at), 'path-name'));
}

// A row of choices of which one is pressed.
export function choices(label, list, chosen, choose) {
  return h('div', { class: 'choices', role: 'group', 'aria-label': label }, list.map(([value, text, mark]) => h('button', { key: value, class: 'choice', 'aria-pressed': String(value === chosen), onclick: () => choose(value) }, mark ? glyph(mark, `kind-${mark}`) : null, text)));
}

export function linkTo(path, params, classes, ...children) {
  return h('a', { href: link(path, params), class: classes }, children);
}

export const shortId = (id) => String(id ?? '').slice(0, 8);

// A list that becomes a table to assistive technology, with one head.
export function table(classes, heads, rows) {
  return h('table', { class: `table ${classes || ''}` }, h('thead', {}, h('tr', {}, heads.map(([text, cls]) => h('th', { class: cls || '', scope: 'col' }, text)))), h('tbody', {}, rows));
}

// Small bars, one a day: what has none is a dot on the line.
export function bars(values, tone, label) {
  const list = values || [];
  const top = Math.max(1, ...list);
  const step = 100 / Math.max(1, list.length);
  const one = (n, i) => (n > 0 ? `M${(i * step).toFixed(2)} ${(18 - Math.max(3, (n / top) * 17)).toFixed(1)}h${(step * 0.72).toFixed(2)}V18h${(-step * 0.72).toFixed(2)}z` : '');
  return h('svg', { class: `bars bars-${tone}`, viewBox: '0 0 100 19', preserveAspectRatio: 'none', role: label ? 'img' : undefined, 'aria-label': label, 'aria-hidden': label ? undefined : 'true' }, h('path', { d: 'M0 18.5H100', class: 'bars-line' }), h('path', { d: list.map(one).join('') }));
}

export const tiles = (ids) => h('span', { class: 'tiles' }, (ids || []).map((id) => tile(id)));

// A list and what is chosen in it. In a narrow window the chosen one is a page of its own.
export function split(list, detail, options) {
  const only = options.narrow || !detail;
  if (options.narrow && options.chosen) return h('div', { class: 'split split-one' }, h('p', { class: 'crumbs' }, linkTo(options.back, {}, 'plain', options.name)), detail);
  return h('div', { class: `split ${options.class || ''} ${only ? 'split-one' : ''}` }, list, only ? null : detail);
}

// Name and value, one under another.
export function facts(rows) {
  return h('dl', { class: 'facts' }, rows.filter(([, value]) => value !== null && value !== undefined && value !== '').map(([name, value]) => h('div', { class: 'fact', key: name }, h('dt', {}, name), h('dd', {}, value))));
}
