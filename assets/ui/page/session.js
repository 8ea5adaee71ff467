// One session: what it did, in order, and what became of each failure.
import { h, signal } from '../view.js';
import { glyph } from '../glyph.js';
import { chip, code, failureText, linkTo, nothing, pane, panel, pathText, said, shortId, tile, timeText } from '../part.js';
import { kindGlyph } from '../row.js';
import { laneView } from '../lanes.js';
import { command, copy, copyButton } from '../copy.js';
import { change, route, use } from '../state.js';
import { ask, segment } from '../door.js';
import { pageKeys } from '../keys.js';
import { KINDS, agent, count, fixedAfter, plural, sessionTime, subName, tokens, tokensOf, toldKind } from '../words.js';
import { clock, now, span } from '../time.js';
import { announce } from '../copy.js';

const MAX_TOLD = 6;
const MAX_PROMPT = 400;
const MAX_PROMPT_LINES = 5;
const allTold = signal(false);
const openRows = signal(new Set());

export function sessionPage(id) {
  const { o, t, turn } = route.value.params;
  const answer = use(`session/${segment(id)}`, { around: o, turn }, `session/${id}`);
  const shell = command('nudge', 'sessions', shortId(id));
  pageKeys({}, () => shell);
  return h('div', { class: 'session-page' }, pane(answer, `session/${id}`, (data) => story(data, { o, t, shell })));
}

function story(data, anchor) {
  const { session } = data;
  return [
    head(data, anchor.shell),
    h('section', { class: 'panel session-lane', 'aria-label': 'The session over time' }, laneView(laneData(data), { single: true, window: windowOf(session, data.subs) })),
    h('div', { class: 'story-and-side' }, h('section', { class: 'panel story', 'aria-label': 'What happened', 'data-rows': 'story', 'data-pane': 'story' }, data.turns.length === 0 ? nothing('Nothing was recorded in this session.') : data.turns.map((turn) => turnView(turn, data, anchor))), h('div', { class: 'side' }, toldAtStart(data), filesOf(data))),
  ];
}

function windowOf(session, subs) {
  const end = session.live ? now() : Math.max(session.to_ms, ...(subs || []).map((sub) => sub.to_ms));
  const pad = Math.max(20000, (end - session.from_ms) * 0.02);
  return { from: session.from_ms - pad / 2, to: session.live ? end : end + pad, toNow: session.live };
}

// The lane needs its marks and arcs; the arcs are in the items that are loaded.
function laneData(data) {
  if (data.lane) return data.lane;
  const items = data.turns.flatMap((turn) => turn.items || []);
  const arcs = data.arcs || items.filter((item) => item.fixed_by).map((item) => [item.id, item.fixed_by]);
  data.lane = { sessions: [{ ...data.session, parent: undefined, marks: data.marks }, ...(data.subs || []).map((sub) => ({ ...sub, parent: data.session.id }))], arcs, carries: [] };
  return data.lane;
}

function head(data, shell) {
  const { session } = data;
  const counts = countsOf(data);
  return h(
    'header',
    { class: 'page-head' },
    h(
      'div',
      { class: 'page-head-text' },
      h('p', { class: 'crumbs' }, linkTo('/sessions', {}, 'plain', 'Sessions'), glyph('right'), session.parent ? [linkTo(`/session/${segment(session.parent)}`, {}, 'plain', h('code', {}, shortId(session.parent))), glyph('right')] : null, h('code', {}, shortId(session.id))),
      h('h1', {}, said(session.title || 'no prompt')),
      h('p', { class: 'page-line' }, tile(session.agent), h('span', {}, agent(session.agent).name), h('span', { class: 'quiet-text num' }, sessionTime(session)), counts.map(([text, tone]) => chip(text, tone))),
    ),
    h('div', { class: 'page-actions' }, copyButton(shell), h('button', { class: 'button', onclick: () => copy(markdown(data)) }, glyph('copy'), 'Markdown')),
  );
}

function countsOf(data) {
  const { session } = data;
  const by = (name, kind) => session[name] ?? data.marks.filter((mark) => KINDS[mark[1]] === kind).length;
  const all = [[by('prompts', 'prompt'), 'prompt', ''], [by('edits', 'edit'), 'edit', ''], [by('commits', 'commit'), 'commit', '']];
  const out = all.filter(([n]) => n > 0).map(([n, word, tone]) => [plural(n, word), tone]);
  const failed = by('failed', 'failed');
  const fixed = by('fixed', 'fixed');
  if (failed > fixed) out.push([`${count(failed - fixed)} not fixed`, 'fail']);
  for (const [name, kind, tone] of [['fixed', 'fixed', 'fixed'], ['blocked', 'blocked', 'block'], ['told', 'told', 'told']]) {
    const n = kind === 'told' ? data.marks.filter((mark) => KINDS[mark[1]] === 'told').length : by(name, kind);
    if (n > 0) out.push([`${count(n)} ${kind}`, tone]);
  }
  return out;
}

function turnView(turn, data, anchor) {
  const subs = (data.subs || []).filter((sub) => sub.from_ms >= turn.from_ms && sub.from_ms <= turn.to_ms);
  const items = turn.items ? withSubs(turn.items, subs) : null;
  return h(
    'section',
    { class: 'turn', key: `turn${turn.n}` },
    h('h2', { class: 'turn-head' }, glyph('prompt'), h('span', { class: 'turn-prompt' }, promptText(turn)), h('span', { class: 'quiet-text num' }, `${clock(turn.from_ms)} · ${span(turn.to_ms - turn.from_ms)}`)),
    items ? h('ol', { class: 'items' }, items.map((item) => (item.sub ? subRow(item.sub) : itemRow(item, items, data, anchor)))) : h('p', { class: 'turn-folded' }, h('button', { class: 'button', onclick: () => openTurn(turn, data) }, `Show ${plural(Object.values(turn.counts || {}).reduce((sum, n) => sum + n, 0), 'step')}`)),
  );
}

const openPrompts = signal(new Set());

// A prompt can be a whole plan: its first lines, and all of it on demand.
function promptText(turn) {
  const text = turn.prompt?.text || turn.prompt?.subject || 'before the first prompt';
  if (text.length < MAX_PROMPT && text.split('\n').length <= MAX_PROMPT_LINES) return said(text);
  const open = openPrompts.value.has(turn.prompt.id);
  return [open ? said(text) : said(text.replace(/\n\s*\n/g, '\n'), 'prompt-cut'), h('button', { class: 'text-button', 'aria-expanded': String(open), onclick: () => flipIn(openPrompts, turn.prompt.id) }, open ? 'Show less' : 'Show the whole prompt')];
}

function flipIn(set, id) {
  const next = new Set(set.peek());
  if (!next.delete(id)) next.add(id);
  set.value = next;
}

async function openTurn(turn, data) {
  try {
    const more = await ask(`session/${segment(data.session.id)}`, { turn: turn.n });
    const found = more.turns.find((one) => one.n === turn.n);
    change(`session/${data.session.id}`, (old) => ({ ...old, lane: undefined, turns: old.turns.map((one) => (one.n === turn.n ? found : one)) }));
  } catch (error) {
    announce(error.message);
  }
}

// A sub-agent is a row of its own where it began.
function withSubs(items, subs) {
  const rows = [...items, ...subs.map((sub) => ({ sub, at_ms: sub.from_ms }))];
  return rows.sort((a, b) => a.at_ms - b.at_ms);
}

function subRow(sub) {
  const by = (kind) => (sub.marks || []).filter((mark) => KINDS[mark[1]] === kind).length;
  const parts = [[by('edit'), 'edit'], [by('failed'), 'failure']].filter(([n]) => n > 0).map(([n, word]) => plural(n, word));
  if (by('fixed') > 0) parts.push('fixed');
  return h('li', { class: 'item', key: `sub${sub.id}` }, h('span', { class: 'item-time' }, timeText(sub.from_ms, 'seconds')), h('span', { class: 'item-mark' }, glyph('lanes', 'tone-quiet')), h('div', { class: 'item-body' }, linkTo(`/session/${segment(sub.id)}`, {}, 'plain strong', said(subName(sub.title || shortId(sub.id)))), h('span', { class: 'quiet-text' }, ` ${span(sub.to_ms - sub.from_ms)}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`)), linkTo(`/session/${segment(sub.id)}`, {}, 'plain item-side quiet-text', 'open', glyph('right')));
}

// The green thread runs from a failure to what ended it.
function threadOf(item, items) {
  for (const failed of items) {
    if (!failed.fixed_by) continue;
    const end = items.find((one) => one.id === failed.fixed_by);
    if (!end) continue;
    if (item === failed) return 'thread-start';
    if (item === end) return 'thread-end';
    if (item.at_ms > failed.at_ms && item.at_ms < end.at_ms) return 'thread';
  }
  return '';
}

function itemRow(item, items, data, anchor) {
  const aimed = anchor.o !== undefined ? String(item.id) === anchor.o : anchor.t !== undefined && item.kind === 'told' && String(item.told_id ?? item.id) === anchor.t;
  const ring = aimed ? (node) => requestAnimationFrame(() => node.scrollIntoView({ block: 'center' })) : undefined;
  return h(
    'li',
    { class: `item item-${item.kind} ${threadOf(item, items)} ${aimed ? 'item-aimed' : ''}`, key: `${item.kind}${item.id}`, ref: ring, tabindex: '-1', 'data-row': item.id },
    h('span', { class: 'item-time' }, timeText(item.at_ms, 'seconds')),
    h('span', { class: 'item-mark' }, kindGlyph(item.kind)),
    h('div', { class: 'item-body', dir: 'auto' }, itemBody(item, items)),
    h('span', { class: 'item-side num' }, itemSide(item)),
  );
}

function itemSide(item) {
  if (item.kind === 'told') return item.chars ? tokens(tokensOf(item.chars)) : '';
  const parts = [];
  if (item.kind === 'failed' && Number.isInteger(item.exit)) parts.push(`exit ${item.exit}`);
  if (item.kind === 'fixed' && item.fixed_after_ms) parts.push(span(item.fixed_after_ms));
  else if (item.duration_ms) parts.push(span(item.duration_ms));
  if (item.lines) parts.push(plural(item.lines, 'line'));
  return parts.join(', ');
}

function itemBody(item, items) {
  if (item.fold) return h('span', { class: 'quiet-text' }, foldedWords(item.fold));
  if (item.kind === 'read') return h('span', { class: 'quiet-text' }, item.type === 'search' ? 'Searched ' : 'Read ', code(item.file || item.subject));
  if (item.kind === 'edit') return [code(item.file || item.subject), item.type === 'file_write' ? h('span', { class: 'quiet-text' }, ' new file') : null, gist(item)];
  if (item.kind === 'failed') return [code(item.subject, 'tone-fail'), output(item)];
  if (item.kind === 'fixed') return [code(item.subject, 'tone-fixed'), ' ', chip(fixedAfter(fixOf(item, items)), 'fixed')];
  if (item.kind === 'blocked') return [code(item.subject, 'tone-block'), h('div', { class: 'box box-block' }, said(item.rule || 'a rule', 'strong tone-block'), ' ', said(item.note || item.text))];
  if (item.kind === 'told') return toldItem(item);
  if (item.kind === 'commit') return said(item.subject);
  if (item.kind === 'prompt') return said(item.text || item.subject, 'strong');
  const instead = items.find((one) => one.instead === item.id);
  return [code(item.subject), instead ? [' ', chip('what it did instead')] : null, item.note ? h('span', { class: 'quiet-text' }, ' ', said(item.note)) : null];
}

const fixOf = (item, items) => {
  const failed = items.find((one) => one.fixed_by === item.id);
  const edits = failed ? items.filter((one) => one.kind === 'edit' && one.at_ms > failed.at_ms && one.at_ms < item.at_ms).length : 0;
  return { fixed_edits: edits, fixed_after_ms: edits > 0 ? 0 : failed?.fixed_after_ms || 0 };
};

// "Read 4 files in src/db", or one file several times.
function foldedWords({ kind, n, files }) {
  if (kind === 'search') return plural(n, 'search', 'searches');
  if (!files || files.length === 0) return `Read ${plural(n, 'file')}`;
  if (files.length === 1 && n > 1) return ['Read ', code(files[0]), n === 2 ? ' twice' : ` ${count(n)} times`];
  const all = commonFolder(files);
  return [`Read ${plural(n, 'file')}`, all ? [' in ', code(all)] : null];
}

function commonFolder(files) {
  const parts = files[0].split('/').slice(0, -1);
  while (parts.length > 0 && !files.every((file) => file.startsWith(`${parts.join('/')}/`))) parts.pop();
  return parts.join('/');
}

// "old → new", as it is remembered of an edit.
function gist(item) {
  const head = `${item.file || item.subject}: `;
  const text = (item.text || '').startsWith(head) ? item.text.slice(head.length) : item.text;
  if (!text) return null;
  const at = text.indexOf(' → ');
  if (at < 0) return h('div', { class: 'gist' }, code(text, 'tone-fixed'));
  return h('div', { class: 'gist' }, h('del', {}, code(text.slice(0, at), 'tone-fail')), h('span', { class: 'quiet-text' }, ' → '), h('ins', {}, code(text.slice(at + 3), 'tone-fixed')));
}

function output(item) {
  const text = item.text || item.note;
  if (!text || text === item.subject) return null;
  return h('pre', { class: 'box box-fail', dir: 'auto', tabindex: '0' }, failureText(text));
}

function toldItem(item) {
  const open = openRows.value.has(item.id);
  const flip = () => flipIn(openRows, item.id);
  const rows = item.rows || [];
  return [
    h('button', { class: 'plain-button tone-told strong', 'aria-expanded': rows.length > 0 ? String(open) : undefined, onclick: flip }, said(item.subject)),
    ' ',
    said(item.note || '', 'quiet-text'),
    open ? h('ul', { class: 'told-rows' }, rows.map(toldRow)) : null,
  ];
}

function toldRow(row) {
  return h('li', { class: 'told-row' }, h('span', { class: 'told-id num' }, row.id ?? row.kind), h('span', { class: 'told-text' }, row.forgotten ? h('em', { class: 'quiet-text' }, 'forgotten') : said(row.text), h('span', { class: 'told-why' }, said(row.why || toldKind(row.kind)), row.score ? `, score ${row.score.toFixed(2)}` : '')));
}

function toldAtStart(data) {
  const rows = data.told || [];
  if (rows.length === 0) return null;
  const shown = allTold.value ? rows : rows.slice(0, MAX_TOLD);
  const chars = data.told_chars ?? rows.reduce((sum, row) => sum + (row.text || '').length, 0);
  return panel({ title: 'Told at the start', side: h('span', { class: 'panel-side num' }, `about ${tokens(tokensOf(chars))}`) }, h('ul', { class: 'told-rows' }, shown.map(toldRow)), rows.length > shown.length ? h('button', { class: 'text-button', onclick: () => (allTold.value = true) }, `${plural(rows.length - shown.length, 'more row', 'more rows')}`) : null);
}

function filesOf(data) {
  const files = data.files || [];
  if (files.length === 0) return null;
  const edits = files.reduce((sum, file) => sum + file.edits, 0);
  return panel({ title: 'Files', side: h('span', { class: 'panel-side num' }, `${plural(edits, 'edit')} in ${count(files.length)}`) }, h('ul', { class: 'file-list' }, files.slice(0, 40).map((file) => h('li', { key: file.path }, pathText(file.path), h('span', { class: 'grow' }), file.failed ? h('span', { class: 'cell tone-fail' }, glyph('failed'), count(file.failed)) : null, h('span', { class: 'quiet-text num' }, plural(file.edits, 'edit'))))));
}

// The story as text for a pull request.
function markdown(data) {
  const lines = [`## ${data.session.title || 'Session'} (${agent(data.session.agent).name}, ${sessionTime(data.session)})`, ''];
  for (const turn of data.turns) {
    lines.push(`**${turn.prompt?.subject || 'Before the first prompt'}**`, '');
    for (const item of turn.items || []) {
      if (item.fold || item.kind === 'read' || item.kind === 'told') continue;
      lines.push(`* ${clock(item.at_ms)} ${item.kind}: \`${String(item.subject || item.file).replaceAll('`', "'")}\`${item.rule ? ` (rule ${item.rule})` : ''}`);
    }
    lines.push('');
  }
  return lines.join('\n');
}
