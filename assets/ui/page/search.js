// Search: have we seen this, and where?
import { h, signal } from '../view.js';
import { glyph } from '../glyph.js';
import { chip, code, facts, failureText, linkTo, nothing, pane, panel, said, shortId, split, tile, timeText, underlined } from '../part.js';
import { kindGlyph } from '../row.js';
import { amend, common, go, link, meta, range, renew, route, use } from '../state.js';
import { answerFromFile, mode, preference, segment, setPreference } from '../door.js';
import { pageKeys } from '../keys.js';
import { forgetButton, pinButton } from '../act.js';
import { command, copyButton } from '../copy.js';
import { agent, count, plural, sessions } from '../words.js';
import { shortDate, span } from '../time.js';
import { isNarrow } from '../screen.js';

const TYPING_MS = 120;
const MAX_QUERIES = 10;
const KIND_NAMES = [['failed', 'failed'], ['edit', 'edits'], ['prompt', 'prompts'], ['command', 'commands'], ['blocked', 'blocked'], ['told', 'told'], ['commit', 'commits'], ['outcome', 'outcomes'], ['read', 'reads']];
const WHY_NAMES = { all_words: 'all words', sequence: 'in sequence', file: 'in file name', in_file: 'in file name', known_fix: 'a known fix', stem: 'in another form', pinned: 'pinned' };

const typed = signal(null);
let typing = 0;

export function searchPage() {
  const { q = '', kinds, file, o } = route.value.params;
  const answer = q ? use('search', { ...common(), q, kinds, file }) : { data: null, error: null, slow: false };
  const hits = (q && answer.data?.hits) || [];
  const chosen = o || (isNarrow() ? '' : String(hits.find((hit) => hasObservation(hit))?.id ?? ''));
  pageKeys({ EscapeField: leaveField, ArrowDown: () => moveHit(hits, chosen, 1), ArrowUp: () => moveHit(hits, chosen, -1) }, () => (q ? command('nudge', 'search', q) : ''));
  return h('div', { class: 'search-page' }, h('h1', { class: 'unseen' }, 'Search'), field(q, answer, hits, chosen), q ? chips(answer.data, kinds) : null, q ? results(answer, hits, chosen, q) : beforeSearch());
}

function field(q, answer, hits, chosen) {
  const focus = (node) => {
    if (!isNarrow()) requestAnimationFrame(() => node.focus({ preventScroll: true }));
  };
  const input = (event) => {
    typed.value = event.target.value;
    clearTimeout(typing);
    typing = setTimeout(() => {
      amend({ q: typed.peek() || undefined, o: undefined });
      typed.value = null;
    }, TYPING_MS);
  };
  const arrows = (event) => {
    if (event.key === 'ArrowDown') moveHit(hits, chosen, 1);
    else if (event.key === 'ArrowUp') moveHit(hits, chosen, -1);
    else if (event.key === 'Enter') {
      rememberQuery(q);
      openHit(hits.find((hit) => String(hit.id) === chosen));
    } else return;
    event.preventDefault();
  };
  const note = answer.data ? `${plural(answer.data.groups ?? hits.length, 'group')} of ${count(answer.data.total)}${answer.data.took_us ? `, ${Math.max(1, Math.round(answer.data.took_us / 1000))} ms` : ''}` : '';
  return h('div', { class: 'search-field', role: 'search' }, glyph('lens'), h('input', { id: 'search', type: 'search', value: typed.value ?? q, placeholder: 'Words, a file, an error', 'aria-label': 'Search everything', autocomplete: 'off', spellcheck: 'false', ref: focus, oninput: input, onkeydown: arrows }), h('span', { class: 'search-note num', role: 'status' }, note), h('kbd', { 'aria-hidden': 'true' }, 'esc'));
}

function leaveField(event) {
  if (event.target.value) {
    typed.value = null;
    amend({ q: undefined, o: undefined });
  } else event.target.blur();
}

const hasObservation = (hit) => hit && !['rule', 'note', 'hint', 'task', 'plan', 'history'].includes(hit.kind);

function moveHit(hits, chosen, by) {
  const list = hits.filter(hasObservation);
  if (list.length === 0) return;
  const at = list.findIndex((hit) => String(hit.id) === chosen);
  const next = list[Math.max(0, Math.min(list.length - 1, at + by))];
  amend({ o: next.id });
  requestAnimationFrame(() => document.querySelector('.row-chosen')?.scrollIntoView({ block: 'nearest' }));
}

function chips(data, kinds) {
  const counts = data?.kinds || {};
  const known = KIND_NAMES.filter(([kind]) => counts[kind] !== undefined);
  const one = ([kind, name]) => h('button', { key: kind, class: 'choice', 'aria-pressed': String(kinds === kind), onclick: () => amend({ kinds: kinds === kind ? undefined : kind, o: undefined }) }, kindGlyph(kind), `${name} ${count(counts[kind])}`);
  const others = (data?.elsewhere || []).slice(0, 3);
  const rootOf = (name) => (meta.value?.projects || []).find((one) => one.root === name || one.name === name)?.root || name;
  return h(
    'div',
    { class: 'chips-line' },
    h('button', { class: 'choice', 'aria-pressed': String(!kinds), onclick: () => amend({ kinds: undefined }) }, 'Any kind'),
    known.map(one),
    agentChoice(),
    rangeChoice(),
    fileChoice(data),
    h('span', { class: 'grow' }),
    others.length > 0 ? h('span', { class: 'quiet-text' }, 'Also in other projects: ', others.map((one, i) => [i > 0 ? ', ' : '', h('button', { class: 'plain-button tone-fg', onclick: () => amend({ p: rootOf(one.project) }) }, `${count(one.n)} in `, said(one.project.split('/').pop()))])) : null,
  );
}

function agentChoice() {
  const list = meta.value?.agents || [];
  if (list.length < 2) return null;
  return h('select', { class: 'choice', 'aria-label': 'Agent', value: route.value.params.agent || '', onchange: (event) => amend({ agent: event.target.value || undefined }) }, h('option', { value: '' }, 'Any agent'), list.map((one) => h('option', { value: one.id, key: one.id }, agent(one.id).name)));
}

const RANGE_CHOICES = [['1h', '1 hour'], ['today', 'Today'], ['7d', '7 days'], ['30d', '30 days'], ['all', 'All time']];

// The same range as on top, where somebody who searches looks for it.
function rangeChoice() {
  if (mode.value !== 'live') return null;
  const own = RANGE_CHOICES.some(([name]) => name === range()) ? [] : [[range(), 'Chosen days']];
  const choose = (event) => {
    renew();
    amend({ r: event.target.value === 'today' ? undefined : event.target.value });
  };
  return h('select', { class: 'choice', 'aria-label': 'Time', value: range(), onchange: choose }, [...own, ...RANGE_CHOICES].map(([name, text]) => h('option', { value: name, key: name }, text)));
}

// The files of the hits; one that was chosen stays in the list.
function fileChoice(data) {
  const { file } = route.value.params;
  const found = [...new Set([file, ...(data?.hits || []).map((hit) => hit.file)].filter(Boolean))];
  if (mode.value !== 'live' || found.length === 0) return null;
  return h('select', { class: 'choice choice-file', 'aria-label': 'File', value: file || '', onchange: (event) => amend({ file: event.target.value || undefined, o: undefined }) }, h('option', { value: '' }, 'Any file'), found.slice(0, 30).map((one) => h('option', { value: one, key: one }, one)));
}

function results(answer, hits, chosen, q) {
  const list = panel({ class: 'full', pane: 'hits', label: 'Results' }, pane(answer, 'search', (data) => hitList(data, hits, chosen, q)));
  const detail = panel({ class: 'full detail', pane: 'hit', label: 'The chosen result' }, chosen ? hitDetail(chosen, wordsOf(answer.data)) : null);
  return split(list, chosen ? detail : null, { narrow: isNarrow(), chosen: Boolean(route.value.params.o), back: `/search?q=${segment(q)}`, name: 'Results', class: 'split-search' });
}

const FORMS = { stem: 'and its forms', exact: 'as it is', prefix: 'as a beginning', phrase: 'in sequence' };

function explanation(data) {
  const words = data.looked_for || [];
  const out = [];
  words.forEach((one, index) => out.push(index > 0 ? ', or ' : '', code(one.word), ` ${FORMS[one.as] || ''}`));
  return h('p', { class: 'list-note explain' }, words.length > 0 ? ['Looked for ', out, '. '] : null, words.length > 1 ? 'Rows with all words come first, equal ones are shown once.' : 'Equal ones are shown once.', (data.left_out || []).length > 0 ? [' Left out as too common: ', data.left_out.map((word, i) => [i > 0 ? ', ' : '', code(word)]), '.'] : null, data.ranked_since_ms ? ` More rows match than were ranked: these are the best since ${shortDate(data.ranked_since_ms)}.` : null);
}

function hitList(data, hits, chosen, q) {
  if (hits.length === 0) return nothing('Nothing was found.', (data.looked_for || []).filter((one) => one.hits > 0).map((one) => [h('button', { class: 'plain-button tone-told', onclick: () => amend({ q: one.word }) }, one.word), ` alone has ${plural(one.hits, 'hit')}. `]));
  return [explanation(data), h('ul', { class: 'hits', 'data-rows': 'hits' }, hits.map((hit) => hitRow(hit, chosen, q, wordsOf(data)))), h('p', { class: 'list-note' }, data.next_offset ? 'These are the best. More words narrow it down.' : 'End of results')];
}

function hitRow(hit, chosen, q, words) {
  const here = hasObservation(hit) && String(hit.id) === chosen;
  const times = hit.n > 1 ? `${count(hit.n)} times in ${sessions(hit.sessions || 1)}` : '';
  return h(
    'li',
    { key: `${hit.kind}${hit.id ?? hit.subject}` },
    h(
      'a',
      { class: `hit plain ${here ? 'row-chosen' : ''}`, href: hasObservation(hit) ? link('/search', { q, o: hit.id }) : otherLink(hit), 'data-row': hit.id, 'aria-current': here ? 'true' : undefined, onclick: () => rememberQuery(q) },
      kindGlyph(hit.kind),
      h('span', { class: 'hit-main' }, h('span', { class: 'hit-text' }, hit.subject ? [said(hit.subject, hit.kind === 'failed' ? 'strong tone-fail code' : hit.kind === 'prompt' ? '' : 'strong code'), ' '] : null, h('span', { class: hit.kind === 'prompt' || hit.kind === 'told' ? '' : 'code quiet-text' }, marked(hit, words))), h('span', { class: 'hit-why' }, (hit.why || []).map((code) => chip(WHY_NAMES[code] || code)))),
      h('span', { class: 'hit-side' }, h('span', { class: 'hit-when' }, hit.at_ms ? timeText(hit.at_ms) : null, hit.agent ? tile(hit.agent) : null), h('span', { class: 'quiet-text num' }, times)),
    ),
  );
}

function otherLink(hit) {
  const name = String(hit.id ?? hit.subject).split('/').pop().replace(/\.md$/, '');
  // A rule of the project's notes is a file; one that nudge judges has a name.
  const isFile = /\.md$/.test(hit.subject || '');
  const pages = { rule: isFile ? '/notes' : `/rule/${segment(name)}`, note: `/note/${segment(name)}`, hint: '/hints' };
  return link(pages[hit.kind] || '/plan');
}

// The words that were found are underlined; everything is text. What the subject says already is not said again.
function marked(hit, words) {
  const text = hit.excerpt || '';
  const head = `${hit.subject}: `;
  let at = hit.subject && text.startsWith(head) ? head.length : 0;
  const marks = (hit.marks || []).filter(([from, to]) => from >= at && to <= text.length);
  // A part of a longer word is found, too, and has no place of its own.
  if (marks.length === 0) return h('bdi', { dir: 'auto' }, underlined(text.slice(at), words));
  const out = [];
  for (const [from, to] of marks) {
    if (from < at) continue;
    out.push(text.slice(at, from), h('mark', {}, text.slice(from, to)));
    at = to;
  }
  out.push(text.slice(at));
  return h('bdi', { dir: 'auto' }, out);
}

function hitDetail(id, words) {
  const answer = use(`observation/${segment(id)}`, {}, 'observation');
  return pane(answer, 'observation', (data) => observationBody(data, words));
}

// What was looked for, as it can be found in a text.
const wordsOf = (data) => (data?.looked_for || []).map((one) => one.word.replace(/\*$/, '').toLowerCase()).filter((word) => word.length > 1);

function observationBody(data, words) {
  const { obs } = data;
  const around = [...(data.before || []), obs, ...(data.after || [])];
  const seen = data.seen || {};
  return [
    h('div', { class: 'detail-part' }, h('h2', { class: 'detail-title' }, code(obs.subject || obs.file), chip(obs.kind, { failed: 'fail', fixed: 'fixed', blocked: 'block', told: 'told' }[obs.kind]), h('span', { class: 'grow' }), h('span', { class: 'quiet-text num' }, `observation ${obs.id}`)), obs.text && obs.text !== obs.subject ? h('pre', { class: `box ${obs.kind === 'failed' ? 'box-fail' : 'box-plain'}`, dir: 'auto', tabindex: '0' }, obs.kind === 'failed' ? failureText(obs.text, words) : underlined(obs.text, words)) : null, obs.cut ? h('p', { class: 'quiet-text' }, 'Shortened here; the command below shows all of it.') : null, facts([['Session', linkTo(`/session/${segment(obs.session)}`, { o: obs.id }, '', said(data.title || shortId(obs.session)))], ['When', [timeText(obs.at_ms), obs.duration_ms ? `, ${span(obs.duration_ms)}` : '', Number.isInteger(obs.exit) ? `, exit ${obs.exit}` : '']], ['File', obs.file ? code(obs.file) : null], ['Seen', seen.n > 1 ? `${count(seen.n)} times in ${sessions(seen.sessions)}${seen.agents > 1 || seen.agents?.length > 1 ? `, by ${plural(seen.agents?.length ?? seen.agents, 'agent')}` : ''}` : 'once'], ['Ended by', (data.ended_by || []).length > 0 ? data.ended_by.map((one) => h('span', { class: 'ended' }, glyph('fixed', 'tone-fixed'), code(one.subject))) : null]])),
    h('div', { class: 'detail-part' }, h('h3', { class: 'panel-title part-head' }, 'Around it', h('span', { class: 'grow' }), linkTo(`/session/${segment(obs.session)}`, { o: obs.id }, 'plain panel-side', 'Open session')), h('ul', { class: 'around' }, around.map((one) => h('li', { key: one.id, class: one.id === obs.id ? 'around-here' : '' }, timeText(one.at_ms, 'seconds'), kindGlyph(one.kind), code(one.subject || one.file, one.kind === 'failed' ? 'tone-fail' : one.kind === 'fixed' ? 'tone-fixed' : ''))))),
    h('div', { class: 'detail-part detail-actions' }, copyButton(command('nudge', 'show', obs.id)), pinButton(obs), forgetButton([obs.id])),
  ];
}

function openHit(hit) {
  if (!hit) return;
  if (hit.session) go(`/session/${segment(hit.session)}`, { o: hit.id });
  else amend({ o: hit.id });
}

const queries = () => {
  try {
    return JSON.parse(preference('queries', '[]'));
  } catch {
    return [];
  }
};

function rememberQuery(q) {
  if (!q) return;
  setPreference('queries', JSON.stringify([q, ...queries().filter((one) => one !== q)].slice(0, MAX_QUERIES)));
}

function beforeSearch() {
  const list = queries();
  return panel({ class: 'full', title: list.length > 0 ? 'Searched before' : '' }, list.length > 0 ? h('ul', { class: 'query-list' }, list.map((one) => h('li', { key: one }, h('a', { class: 'plain', href: link('/search', { q: one }) }, glyph('lens'), said(one))))) : nothing('What an agent saw, did or was asked, in every session.', 'Words of an error, a file, a prompt.'));
}

// In a file, what it has of its sessions is what can be looked for and shown.
function fileItems(answers) {
  const stories = Object.entries(answers).filter(([name]) => name.startsWith('session/')).map(([, one]) => one);
  return stories.flatMap((one) => one.turns.flatMap((turn) => [turn.prompt, ...(turn.items || [])]).filter((item) => item && item.kind !== 'told').map((item) => ({ ...item, session: one.session.id, agent: one.session.agent, title: one.session.title })));
}

answerFromFile('search', (answers, params) => {
  const words = String(params.q || '').toLowerCase().split(/\s+/).filter(Boolean);
  const text = (item) => `${item.subject || ''} ${item.file || ''} ${item.text || ''}`.toLowerCase();
  const found = fileItems(answers).filter((item) => words.length > 0 && words.every((word) => text(item).includes(word)));
  const hit = (item) => ({ kind: item.kind, id: item.id, subject: item.subject || item.file, excerpt: (item.text || '').split('\n')[0].slice(0, 200), marks: [], n: 1, sessions: 1, agent: item.agent, at_ms: item.at_ms, session: item.session, why: words.length > 1 ? ['all_words'] : [] });
  const hits = found.sort((a, b) => b.at_ms - a.at_ms).slice(0, 100).map(hit);
  return { total: found.length, groups: hits.length, looked_for: words.map((word) => ({ word, as: 'exact' })), left_out: [], kinds: {}, elsewhere: [], hits };
});

answerFromFile('observation/', (answers, params, id) => {
  const items = fileItems(answers);
  const obs = items.find((item) => String(item.id) === decodeURIComponent(id));
  if (!obs) return null;
  const story = items.filter((item) => item.session === obs.session).sort((a, b) => a.at_ms - b.at_ms);
  const at = story.indexOf(obs);
  const ended = obs.fixed_by ? story.filter((item) => item.id === obs.fixed_by) : [];
  return { obs, title: obs.title, before: story.slice(Math.max(0, at - 2), at), after: story.slice(at + 1, at + 3), seen: { n: 1, sessions: 1 }, ended_by: ended };
});
