// Told: what goes into the context of agents, what it costs, and whether it helped.
import { h } from '../view.js';
import { glyph } from '../glyph.js';
import { chip, linkTo, nothingIn, pane, panel, said, shortId, tile, timeText } from '../part.js';
import { pagedRows } from '../list.js';
import { segment } from '../door.js';
import { amend, common, link, range, route, use } from '../state.js';
import { pageKeys } from '../keys.js';
import { PARTS, agent, count, momentWords, plural, rangeTail, tokens, tokensOf } from '../words.js';
import { choices } from '../part.js';

export function toldPage() {
  const question = { ...common(), carry: route.value.params.carry, limit: 100 };
  const answer = use('told', question);
  pageKeys({}, () => 'nudge log');
  const carry = route.value.params.carry === '1';
  const side = choices('Show', [['', 'All'], ['1', 'Carried fixes']], carry ? '1' : '', (value) => amend({ carry: value || undefined }));
  const list = panel({ title: 'Told', level: 'h1', note: `what nudge put into agents' context${rangeTail(range())}`, side, class: 'full', pane: 'told' }, pane(answer, 'told', (data) => toldList(data, question, carry)));
  const detail = h('div', { class: 'side' }, pane(answer, 'told', toldSums));
  return h('div', { class: 'split split-told' }, list, detail);
}

const sumOf = (parts) => parts.reduce((sum, part) => sum + part.chars, 0);

// As long as it is much beside the largest delivery of the list.
function partBar(parts, most) {
  const known = PARTS.map((name) => parts.find((part) => part.part === name)).filter((part) => part && part.chars > 0);
  const share = (part) => `${Math.max(1.5, (100 * part.chars) / most)}%`;
  return h('span', { class: 'shares', 'aria-hidden': 'true' }, known.map((part) => h('i', { key: part.part, class: `share share-${part.part}`, style: { width: share(part) } })));
}

function toldList(data, question, carry) {
  const { rows: all, foot } = pagedRows('told', question, data);
  const rows = carry ? all.filter((row) => row.carried) : all;
  if (rows.length === 0) return nothingIn(carry ? 'No fix was carried' : 'Nothing was told');
  const most = Math.max(1, ...rows.map((row) => sumOf(row.parts || [])));
  return [h('ol', { class: 'told-list', 'data-rows': 'told' }, rows.map((row) => toldLine(row, most))), foot];
}

function toldLine(row, most) {
  const parts = row.parts || [];
  return h(
    'li',
    { key: row.id },
    h(
      'a',
      { class: 'told-line plain', 'data-row': row.id, href: link(`/session/${segment(row.session)}`, { t: row.id }) },
      timeText(row.at_ms),
      tile(row.agent),
      h('code', { class: 'quiet-text' }, shortId(row.session)),
      h('span', { class: 'told-moment' }, said(momentWords(row.hook)), row.carried ? [' ', chip(row.carried.helped ? 'helped' : 'carried', row.carried.helped ? 'fixed' : 'told', row.carried.helped ? 'fixed' : 'told')] : null),
      partBar(parts, most),
      h('span', { class: 'told-parts quiet-text' }, parts.map((part) => part.part).join(', ')),
      h('span', { class: 'right num' }, `about ${tokens(row.tokens ?? tokensOf(sumOf(parts)))}`),
    ),
  );
}

function sums(title, rows, name) {
  const top = Math.max(1, ...rows.map(([, chars]) => chars));
  return panel({ title }, h('ul', { class: 'sum-list' }, rows.map(([key, chars]) => h('li', { key }, h('span', { class: 'sum-name' }, name(key)), h('span', { class: 'sum-bar' }, h('i', { style: { width: `${(100 * chars) / top}%` } })), h('span', { class: 'right num quiet-text' }, count(tokensOf(chars)))))));
}

// Sums come as an object of characters by name, or as rows of {name, chars}.
const pairs = (value, key) => (Array.isArray(value) ? value.map((one) => [one[key], one.chars]) : Object.entries(value || {})).sort((a, b) => b[1] - a[1]);

function toldSums(data) {
  const left = data.left_out || [];
  const carried = (data.rows || []).filter((row) => row.carried);
  const helped = carried.filter((row) => row.carried.helped).length;
  return [
    sums('By part, about tokens', pairs(data.by_part, 'part'), (part) => part),
    sums('By agent, about tokens', pairs(data.by_agent, 'agent'), (id) => [tile(id), ' ', agent(id).name]),
    panel({ title: 'Carried' }, h('p', { class: 'list-note' }, carried.length === 0 ? 'No known fix was told to another session.' : [glyph('told', 'kind-told'), ` ${plural(carried.length, 'known fix', 'known fixes')} told to another session, ${count(helped)} ended the failure there. `, linkTo('/told', { carry: '1' }, '', 'Show them')])),
    left.length > 0 ? panel({ title: 'Left out for want of room' }, h('ul', { class: 'sum-list' }, left.map((one) => h('li', { key: one.part }, h('span', { class: 'sum-name' }, one.part), h('span', { class: 'right num quiet-text' }, plural(one.n, 'time')))))) : null,
  ];
}
