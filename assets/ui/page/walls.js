// Walls: what agents keep running into, and what ends it.
import { h } from '../view.js';
import { glyph } from '../glyph.js';
import { bars, chip, choices, code, linkTo, nothing, nothingIn, pane, panel, said, split, tiles } from '../part.js';
import { kindGlyph } from '../row.js';
import { segment } from '../door.js';
import { amend, common, link, project, range, route, times, use } from '../state.js';
import { pageKeys } from '../keys.js';
import { copyButton } from '../copy.js';
import { agent, count, plural, replayWords, sessions } from '../words.js';
import { dayMonth, now, span } from '../time.js';
import { isNarrow } from '../screen.js';

export const wallPath = (key) => `/wall/${segment(key)}`;

export function wallsPage(key) {
  const answer = use('walls', common());
  const open = route.value.params.open === '1';
  const rows = (answer.data?.rows || []).filter((row) => !open || !row.fix);
  const chosen = key || (isNarrow() ? '' : rows[0]?.key) || '';
  pageKeys({ Escape: key ? () => history.back() : undefined }, () => 'nudge failures');
  const missing = (answer.data?.rows || []).filter((row) => !row.fix).length;
  const side = answer.data ? choices('Show', [['', `All ${answer.data.rows.length}`], ['1', `No fix known ${missing}`]], open ? '1' : '', (value) => amend({ open: value || undefined })) : null;
  const list = panel({ title: 'Walls', level: 'h1', note: 'the same failure in two sessions or more', class: 'full', pane: 'walls', side }, pane(answer, 'walls', (data) => wallList(data, rows, chosen)));
  const detail = chosen ? wallDetail(chosen) : null;
  return split(list, detail, { narrow: isNarrow(), chosen: Boolean(key), back: '/walls', name: 'Walls', class: 'split-walls' });
}

function wallList(data, rows, chosen) {
  return [
    rows.length === 0 ? (data.rows.length === 0 ? nothingIn('No failure came back') : nothing('A fix is known for each of them.')) : h('ul', { class: 'wall-list', 'data-rows': 'walls' }, rows.map((row) => wallRow(row, chosen))),
    h('p', { class: 'list-note' }, data.single ? `${plural(data.single, 'failure')} of one session only ${data.single === 1 ? 'is' : 'are'} not shown. ` : '', 'Ports, process ids, times and paths of temporary files are not compared.'),
  ];
}

function wallRow(row, chosen) {
  const here = row.key === chosen;
  return h(
    'li',
    { key: row.key },
    h(
      'a',
      { class: `wall-row plain ${here ? 'row-chosen' : ''}`, href: link(wallPath(row.key)), 'data-row': row.key, 'aria-current': here ? 'true' : undefined },
      h('span', { class: 'wall-line' }, code(row.program, 'strong'), tiles(row.agents), h('span', { class: 'grow' }), bars(row.bars, 'fail'), h('span', { class: 'wall-count num' }, h('strong', {}, count(row.n)), ` in ${sessions(row.sessions)}`)),
      h('span', { class: 'wall-signature' }, code(row.signature)),
      wallEnd(row),
    ),
  );
}

export function wallEnd(row) {
  const { fix } = row;
  if (!fix) return h('span', { class: 'wall-end' }, h('span', { class: 'tone-fail strong' }, 'No fix known'));
  return h('span', { class: 'wall-end' }, glyph('fixed', 'tone-fixed'), code((fix.steps || []).join(' && ')), h('span', { class: 'quiet-text' }, `worked ${count(fix.worked)} of ${count(fix.of)}${fix.mean_ms ? `, ${span(fix.mean_ms)} on average` : ''}`));
}

function wallDetail(key) {
  const answer = use(`wall/${segment(key)}`, common(), 'wall');
  return panel({ class: 'full detail', pane: 'wall', label: 'The chosen wall' }, pane(answer, 'wall', (data) => wallBody(data)));
}

function wallBody(data) {
  const { row } = data;
  return [
    h('div', { class: 'detail-part' }, h('h2', { class: 'detail-title' }, code(row.program), chip(`${count(row.n)} in ${sessions(row.sessions)}`, 'fail')), h('pre', { class: 'box box-fail', dir: 'auto', tabindex: '0' }, data.sample?.text || row.signature)),
    h('div', { class: 'detail-part' }, h('h3', { class: 'panel-title' }, 'Who hit it, and what became of it'), wallCases(data.cases || [])),
    h('div', { class: 'detail-part' }, h('h3', { class: 'panel-title' }, 'What ended it'), wallSteps(data, row)),
    (data.offers || []).length > 0 ? h('div', { class: 'detail-part' }, h('h3', { class: 'panel-title' }, 'Make it stop'), data.offers.map(offer)) : null,
  ];
}

function wallSteps(data, row) {
  const steps = data.steps || [];
  if (steps.length === 0) return h('p', { class: 'tone-fail' }, 'Nothing has ended it yet.');
  const note = (step, index) => (index === steps.length - 1 && row.fix?.mean_ms ? `passed ${span(row.fix.mean_ms)} later on average` : row.fix ? `run in ${row.fix.worked === row.fix.of ? 'all ' : ''}${count(row.fix.worked)}` : '');
  return h('ul', { class: 'wall-steps' }, steps.map((step, index) => h('li', {}, kindGlyph(step.kind), code(step.subject || step.file, step.kind === 'fixed' ? 'tone-fixed' : ''), h('span', { class: 'grow' }), h('span', { class: 'quiet-text num' }, note(step, index)))));
}

// One line an agent: each failure as a cross, each end as a tick.
function wallCases(cases) {
  if (cases.length === 0) return h('p', { class: 'quiet-text' }, 'The single cases are no longer kept.');
  const { from_ms: start, to_ms: end } = times();
  const from = Math.min(start ?? Infinity, ...cases.map((one) => one.at_ms));
  const to = end ?? now();
  const x = (ms) => Math.max(0, Math.min(100, (100 * (ms - from)) / Math.max(1, to - from)));
  const ids = [...new Set(cases.map((one) => one.agent))];
  const dot = (one) => h('span', { key: `${one.session}${one.at_ms}`, class: 'case', style: { left: `min(${x(one.at_ms)}%, 100% - 22px)` } }, linkTo(`/session/${segment(one.session)}`, one.id ? { o: one.id } : {}, 'case-link', h('span', { class: 'unseen' }, `failed ${dayMonth(one.at_ms)}${one.ended_ms ? `, ended after ${span(one.ended_ms - one.at_ms)}` : ', not ended'}`), glyph('failed', 'tone-fail'), one.ended_ms ? glyph('fixed', 'tone-fixed') : null));
  return [
    ids.map((id) => h('div', { class: 'case-row', key: id || 'none' }, h('span', { class: 'case-name' }, agent(id).name.replace(' Code', '')), h('span', { class: `case-line hue-${agent(id).hue}` }, cases.filter((one) => one.agent === id).map(dot)))),
    h('div', { class: 'case-ends num' }, h('span', {}, dayMonth(from)), h('span', {}, 'today')),
  ];
}

function offer(one) {
  const rule = one.kind === 'rule';
  return h(
    'div',
    { class: 'offer', key: one.kind },
    h('p', { class: 'offer-head' }, glyph(rule ? 'told' : 'tag', rule ? 'tone-told' : ''), said(one.title || (rule ? 'Tell agents before they run it' : 'Leave a hint'), 'strong'), h('span', { class: 'grow' }), copyButton(one.command || one.text, rule ? 'Copy rule' : 'Copy command')),
    one.replay ? h('p', { class: 'quiet-text' }, replayWords(one.replay)) : null,
    one.text && one.text !== one.command ? h('pre', { class: 'box', dir: 'auto', tabindex: '0' }, one.text) : null,
  );
}

// Three walls, for the overview.
export function wallsGlance() {
  const answer = use('walls', { ...common(), ...glanceRange() }, 'walls-glance');
  const side = linkTo('/walls', {}, 'plain panel-side', answer.data ? `All ${answer.data.rows.length}` : 'All');
  const first = (row) => (row.fix ? 1 : 0);
  const one = (row) => h('li', { key: row.key, class: 'wall-row' }, h('span', { class: 'wall-line' }, linkTo(wallPath(row.key), {}, 'plain strong', code(row.program)), h('span', { class: 'grow' }), tiles(row.agents), bars(row.bars, 'fail'), h('span', { class: 'wall-count num' }, h('strong', {}, count(row.n)), ` in ${sessions(row.sessions)}`)), h('span', { class: 'wall-signature' }, code(row.signature)), h('span', { class: 'wall-foot' }, wallEnd({ ...row, fix: row.fix && { ...row.fix, mean_ms: 0 } }), linkTo(wallPath(row.key), {}, 'plain quiet-text', row.fix ? 'Make a rule' : 'Leave a hint')));
  return panel({ title: 'Walls', note: 'failures that keep coming back', side, class: 'glance', pane: 'walls' }, pane(answer, 'walls-glance', (data) => (data.rows.length === 0 ? nothing('No failure came back in 30 days.') : h('ul', { class: 'wall-list', 'data-rows': 'walls' }, data.rows.slice().sort((a, b) => first(a) - first(b)).slice(0, 3).map(one)))));
}

// Walls and rules are about weeks, so the overview shows 30 days of them beside a shorter range.
function glanceRange() {
  if (!['today', '1h', '7d'].includes(range())) return {};
  return { project: project(), from_ms: monthAgo(), to_ms: undefined };
}

export const monthAgo = () => Math.floor(now() / 3600000) * 3600000 - 30 * 24 * 3600000;
