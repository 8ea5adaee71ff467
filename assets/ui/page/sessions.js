// Sessions: which ones ran, and what became of them.
import { h } from '../view.js';
import { glyph } from '../glyph.js';
import { choices, linkTo, nothingIn, pane, panel, said, table, tile, timeText } from '../part.js';
import { pagedRows } from '../list.js';
import { segment } from '../door.js';
import { amend, common, go, range, route, use } from '../state.js';
import { pageKeys } from '../keys.js';
import { count, length, plural, rangeWords, tokensOf } from '../words.js';

const SORTS = [['time', 'Newest'], ['failures', 'Failures'], ['told', 'Told']];

export function sessionsPage() {
  const sort = route.value.params.sort || 'time';
  const question = { ...common(), sort, limit: 50 };
  const answer = use('sessions', question);
  pageKeys({}, () => 'nudge sessions');
  return panel(
    { title: 'Sessions', level: 'h1', note: answer.data ? `${plural(answer.data.rows.length, 'session')} ${rangeWords(range())}` : '', pane: 'sessions', class: 'full', side: choices('Sort by', SORTS, sort, (value) => amend({ sort: value === 'time' ? undefined : value })) },
    pane(answer, 'sessions', (data) => sessionsTable(data, question)),
  );
}

function sessionsTable(data, question) {
  if (data.rows.length === 0) return nothingIn('No session');
  const { rows, foot } = pagedRows('sessions', question, data);
  return [
    h('div', { class: 'table-scroll', 'data-rows': 'sessions', tabindex: '0', role: 'region', 'aria-label': 'Sessions' }, table('sessions-table', [['Session'], ['Started'], ['Length', 'right'], ['Prompts', 'right'], ['Edits', 'right'], ['Failed', 'right'], ['Blocked', 'right'], ['Told', 'right'], ['Commits', 'right']], rows.map(sessionRow))),
    foot,
  ];
}

const cell = (n, mark, tone) => h('td', { class: 'right num' }, n ? h('span', { class: `cell tone-${tone}` }, mark ? glyph(mark) : null, count(n)) : h('span', { class: 'quiet-text' }, '–'));

function sessionRow(row) {
  const path = `/session/${segment(row.id)}`;
  const failed = row.failed ? [h('span', { class: 'cell tone-fail' }, glyph('failed'), count(row.failed)), row.fixed ? h('span', { class: 'cell tone-fixed' }, glyph('fixed'), count(row.fixed)) : null] : h('span', { class: 'quiet-text' }, '–');
  return h(
    'tr',
    { key: row.id, class: 'row-link', onclick: () => go(path) },
    h('td', { class: 'session-cell' }, h('span', { class: 'session-name' }, tile(row.agent), linkRow(path, row))),
    h('td', { class: 'num' }, timeText(row.from_ms)),
    h('td', { class: 'right num' }, row.live ? glyph('live', 'tone-fixed') : null, length(row)),
    cell(row.prompts, null, 'fg'),
    cell(row.edits, null, 'fg'),
    h('td', { class: 'right num' }, failed),
    cell(row.blocked, 'blocked', 'block'),
    h('td', { class: 'right num' }, row.told_chars ? h('span', { class: 'cell tone-told' }, `~${count(tokensOf(row.told_chars))}`) : h('span', { class: 'quiet-text' }, '–')),
    cell(row.commits, 'commit', 'fg'),
  );
}

const linkRow = (path, row) => linkTo(path, {}, 'plain session-title', said(row.title || 'no prompt'), row.parent ? h('span', { class: 'quiet-text' }, ' sub-agent') : null);
