// Live: what nudge is doing right now, one row a hook, and why beside it.
import { h, signal } from '../view.js';
import { glyph } from '../glyph.js';
import { chip, choices, code, facts, linkTo, nothing, pane, panel, said, shortId, split, tile, timeText } from '../part.js';
import { foldRows, isBlock, joinCalls, kindGlyph, millis, rowWords, toldTokens } from '../row.js';
import { pagedRows } from '../list.js';
import { agents, amend, common, go, link, meta, range, route, use } from '../state.js';
import { mode, segment } from '../door.js';
import { pageKeys } from '../keys.js';
import { copyButton, command } from '../copy.js';
import { agent, count, plural, rangeTail, rangeWords, tokensOf } from '../words.js';
import { when } from '../time.js';
import { isNarrow } from '../screen.js';

const KIND_FILTERS = [['', 'All'], ['block', 'Blocked', 'blocked'], ['told', 'Told', 'told'], ['failed', 'Failed', 'failed'], ['edit', 'Edits', 'edit'], ['command', 'Commands', 'command'], ['prompt', 'Prompts', 'prompt']];

// The newest row at the moment the reader stopped following; null follows.
const heldAt = signal(null);

export const isFollowing = () => heldAt.value === null;

const feedQuestion = () => {
  const { only, rule, session } = route.value.params;
  return { ...common(), kinds: only, rule, session, limit: 100 };
};

export function livePage() {
  const question = feedQuestion();
  const answer = use('feed', question);
  const { h: hook, only } = route.value.params;
  pageKeys({ f: toggleFollow, Escape: () => (hook ? amend({ h: undefined }) : (heldAt.value = null)) }, () => 'nudge log');
  const list = panel(
    { title: 'Live', level: 'h1', note: liveNote(), pane: 'live', class: 'full live-panel', side: choices('Show', KIND_FILTERS, only || '', (value) => amend({ only: value || undefined })) },
    filterLine(),
    pane(answer, 'feed', (data) => feedBody(data, question)),
  );
  return split(list, whyPanel(hook), { narrow: isNarrow(), chosen: Boolean(hook), back: '/live', name: 'Live', class: hook ? 'split-live' : 'split-none' });
}

function liveNote() {
  if (mode.value === 'report') return 'as it was when this report was made';
  return `one row for each call of nudge${rangeTail(range(), ', ')}`;
}

function filterLine() {
  const { rule, session } = route.value.params;
  const chosen = agents();
  if (!rule && !session && !chosen) return null;
  const off = (name, text) => h('button', { class: 'choice', 'aria-label': `Remove the filter: ${text}`, onclick: () => amend({ [name]: undefined }) }, text, glyph('failed'));
  return h('div', { class: 'filter-line' }, rule ? off('rule', `rule ${rule}`) : null, session ? off('session', `session ${shortId(session)}`) : null, chosen ? off('agent', chosen.map((id) => agent(id).name).join(', ')) : null);
}

function toggleFollow() {
  heldAt.value = null;
  document.getElementById('main')?.scrollTo(0, 0);
  scrollTo(0, 0);
}

let newestRow = null;

// Scrolling down stops following; new rows are then counted and not put in.
function hold() {
  if (scrollY > 60 && heldAt.peek() === null && newestRow !== null) heldAt.value = newestRow;
  if (scrollY < 10 && heldAt.peek() !== null) heldAt.value = null;
}

function watchScroll() {
  addEventListener('scroll', hold, { passive: true });
  return () => removeEventListener('scroll', hold);
}

function feedBody(data, question) {
  if (data.rows.length === 0) return nothing(noHook(), lastHook());
  const { rows: all, foot } = pagedRows('feed', question, data);
  const cut = heldAt.value === null ? 0 : Math.max(0, all.findIndex((row) => row.id === heldAt.value));
  const rows = foldRows(all.slice(cut));
  newestRow = all[0].id;
  return [
    cut > 0 ? h('button', { class: 'new-rows', onclick: toggleFollow }, `${count(cut)} new`) : null,
    h('ol', { class: 'feed', 'data-rows': 'live', ref: watchScroll }, rows.map(feedRow)),
    foot,
  ];
}

const lastMs = () => Math.max(0, ...(meta.value?.projects || []).map((one) => one.last_ms || 0));
const noHook = () => (lastMs() && range() !== 'all' ? `No hook ${rangeWords(range())}.` : 'No hook yet.');

function lastHook() {
  const last = lastMs();
  return last ? `The last one came ${when(last)}.` : 'It starts with the next session of an agent.';
}

function feedRow(row) {
  const here = route.value.params.h === String(row.id);
  const told = row.rule && !isBlock(row) ? row.rule : (row.parts || []).map(([part]) => part).join(', ');
  const note = told || (row.hook === 'PreToolUse' && !isBlock(row) ? 'before it runs' : '');
  return h(
    'li',
    { key: row.id },
    h(
      'a',
      { class: `feed-row plain ${here ? 'row-here' : ''}`, href: link('/live', { ...route.value.params, h: row.id }), 'data-row': row.id, 'aria-current': here ? 'true' : undefined },
      timeText(row.at_ms, 'seconds'),
      tile(row.agent),
      kindGlyph(row.kind),
      rowWords(row),
      h('span', { class: 'feed-note' }, note ? said(note) : null),
      h('span', { class: 'feed-told num' }, toldTokens(row)),
      h('span', { class: 'feed-us num' }, row.us ? millis(row.us) : ''),
    ),
  );
}

function whyPanel(hook) {
  if (!hook) return null;
  const answer = use(`why/${segment(hook)}`, {}, 'why');
  const close = h('button', { class: 'icon-button', 'aria-label': 'Close', onclick: () => amend({ h: undefined }) }, glyph('failed'));
  return panel({ title: 'Why', side: close, class: 'full detail', pane: 'why', level: 'h2' }, pane(answer, 'why', whyBody));
}

function whyBody(data) {
  const { row } = data;
  return [
    h('div', { class: 'detail-part' }, h('p', { class: 'why-head' }, kindGlyph(row.kind), rowWords(row)), facts([['When', timeText(row.at_ms, 'seconds')], ['Moment', code(row.hook)], ['Tool', row.tool ? code(row.tool) : null], ['Session', row.session ? linkTo(`/session/${segment(row.session)}`, row.obs?.[0] ? { o: row.obs[0] } : {}, '', shortId(row.session)) : null], ['Took', row.us ? millis(row.us) : null]])),
    data.reconstructed ? h('p', { class: 'detail-part quiet-text' }, 'This hook is no longer in the trace. What follows is rebuilt from what is remembered.') : null,
    triedPart(data),
    (data.parts || []).map((part) => h('div', { class: 'detail-part', key: part.part }, h('h3', { class: 'panel-title' }, `Told: ${part.part}`, h('span', { class: 'panel-note' }, ` about ${plural(tokensOf(part.chars), 'token')}`)), h('ul', { class: 'told-rows' }, (part.rows || []).map((one) => h('li', { class: 'told-row' }, h('span', { class: 'told-id num' }, one.id ?? one.kind), h('span', { class: 'told-text' }, one.forgotten ? 'forgotten' : said(one.text), h('span', { class: 'told-why' }, said(one.why)))))))),
    data.recorded ? h('div', { class: 'detail-part' }, h('h3', { class: 'panel-title' }, 'Remembered'), h('p', { class: 'quiet-text' }, said(typeof data.recorded === 'string' ? data.recorded : plural(row.obs?.length || 0, 'observation')))) : null,
    (data.problems || []).length > 0 ? h('div', { class: 'detail-part' }, h('h3', { class: 'panel-title' }, 'Problems'), data.problems.map((problem) => h('p', { class: 'tone-fail' }, said(typeof problem === 'string' ? problem : problem.message)))) : null,
    h('div', { class: 'detail-part' }, copyButton(command('nudge', 'why', row.id))),
  ];
}

function triedPart(data) {
  const tried = data.tried || [];
  const others = data.others || [];
  return h(
    'div',
    { class: 'detail-part' },
    h('h3', { class: 'panel-title' }, 'Rules'),
    tried.length + others.length === 0 ? h('p', { class: 'quiet-text' }, 'No rule looked at this call.') : null,
    h('ul', { class: 'why-list' }, tried.map((one) => h('li', { key: one.rule }, linkTo(`/rule/${segment(one.rule)}`, {}, 'strong', said(one.rule)), ' ', chip(said(one.fate), /block|den/.test(one.fate) ? 'block' : ''), one.field ? h('span', { class: 'quiet-text' }, ' in ', code(one.field)) : null, one.place ? h('span', { class: 'quiet-text' }, ' ', code(one.place)) : null))),
    others.length > 0 ? h('details', { class: 'more' }, h('summary', {}, `${plural(others.length, 'other rule')} silent`), h('ul', { class: 'why-list' }, others.map((one) => h('li', { key: one.rule }, said(one.rule), h('span', { class: 'quiet-text' }, ' ', said(one.why)))))) : null,
  );
}

// The nine newest rows, for the overview.
export function liveGlance(narrow) {
  const answer = use('feed', { ...common(), limit: 30 }, 'feed-glance');
  const following = mode.value === 'live';
  const side = h('span', { class: 'panel-side' }, following ? [glyph('live', 'tone-fixed'), 'following'] : linkTo('/live', {}, 'plain', 'All'));
  const one = (row) => h('li', { key: row.id }, h('a', { class: 'glance-row plain', 'data-row': row.id, href: link('/live', { h: row.id }) }, timeText(row.at_ms, 'seconds'), tile(row.agent), kindGlyph(row.kind), rowWords(row)));
  return panel({ title: 'Live', side, class: 'glance', pane: 'live' }, pane(answer, 'feed-glance', (data) => (data.rows.length === 0 ? nothing(noHook(), lastHook()) : h('ol', { class: 'glance-list', 'data-rows': 'live' }, foldRows(joinCalls(data.rows)).slice(0, narrow ? 5 : 9).map(one)))));
}

export const openHook = (id) => go('/live', { h: id });
