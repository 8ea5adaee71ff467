// Overview: what happened, and does anything want me?
import { h, signal } from '../view.js';
import { glyph } from '../glyph.js';
import { linkTo, nothingIn, pane, panel, said } from '../part.js';
import { densityBars, densityQuestion, showWindow } from '../density.js';
import { asTable, foldedSubs, hiddenKinds, laneTable, laneView, laneWindow, onlyLoud, shiftWindow, toggleKind, zoom } from '../lanes.js';
import { PARTS, nothingSentence, overviewSentence, plural, rangeTitle, rangeWords, tokens, tokensOf } from '../words.js';
import { change, common, forgetAnswers, link, meta, project, projectName, range, use } from '../state.js';
import { ask, openSample } from '../door.js';
import { pageKeys } from '../keys.js';
import { isNarrow } from '../screen.js';
import { announce } from '../copy.js';
import { liveGlance } from './live.js';
import { wallsGlance } from './walls.js';
import { rulesGlance } from './rules.js';
import { planStrip } from './plan.js';

const LEGEND = ['prompt', 'edit', 'command', 'failed', 'fixed', 'blocked', 'told', 'commit'];
const NARROW_LEGEND = ['failed', 'fixed', 'blocked', 'told'];

export function overviewPage() {
  const whole = use('overview', common());
  const lanes = use('lanes', { ...common(), limit: 40 });
  pageKeys(
    { h: () => shiftWindow(-0.5, lanes.data?.sessions || []), l: () => shiftWindow(0.5, lanes.data?.sessions || []), Escape: () => (zoom.value = null) },
    () => 'nudge day',
  );
  const empty = meta.value && meta.value.projects.every((one) => !one.observations || (project() && one.root !== project())) && lanes.data && lanes.data.sessions.length === 0;
  if (empty) return emptyPage();
  return h(
    'div',
    { class: 'overview' },
    h('h1', { class: 'sentence' }, whole.data ? sentenceParts(overviewSentence(whole.data, range(), projectName())) : whole.error ? 'The summary cannot be shown' : ' '),
    recorder(lanes),
    h('div', { class: 'glances' }, liveGlance(isNarrow()), wallsGlance(), rulesGlance()),
    h('div', { class: 'strips' }, planStrip(), toldStrip(whole)),
  );
}

function sentenceParts(parts) {
  return parts.map((part) => {
    if (!part.strong) return h('span', {}, part.text);
    const classes = part.tone ? `count count-${part.tone}` : 'count';
    return part.page ? h('a', { class: classes, href: link(part.page) }, said(part.strong)) : h('strong', { class: classes }, said(part.strong));
  });
}

function recorder(lanes) {
  const sessions = lanes.data?.sessions || [];
  const at = laneWindow(sessions);
  const narrow = isNarrow();
  const entry = (kind) => h('button', { key: kind, class: 'legend', 'aria-pressed': String(!hiddenKinds.value.has(kind)), title: `Show or hide: ${kind}`, onclick: () => toggleKind(kind) }, glyph(kind, `kind-${kind}`), h('span', { class: narrow ? 'unseen' : '' }, kind));
  const legend = h('div', { class: 'legends', role: 'group', 'aria-label': 'Marks' }, (narrow ? NARROW_LEGEND : LEGEND).map(entry));
  return panel(
    { title: 'Flight recorder', note: narrow ? rangeWords(range()) : rangeTitle(at.from, at.to, at.toNow), side: legend, class: 'recorder', pane: 'lanes' },
    narrow ? null : densityRow(at),
    zoom.value ? h('div', { class: 'zoomed' }, h('button', { class: 'button', onclick: () => (zoom.value = null) }, 'Show the whole range'), h('button', { class: 'button', onclick: () => showWindow(zoom.value) }, 'Make this the range')) : null,
    pane(lanes, 'lanes', (data) => laneBody(data), h('div', { class: 'ghost-lanes' })),
  );
}

function laneBody(data) {
  if (data.sessions.length === 0) return nothingIn('No session');
  return [
    data.more ? h('button', { class: 'button older', onclick: () => olderLanes(data) }, 'Older sessions') : null,
    asTable.value ? laneTable(data) : h('div', { class: 'lane-scroll', after: (node) => keepNewest(node, data), onscroll: (event) => (atNewest = isAtEnd(event.currentTarget)) }, laneView(data)),
    h('div', { class: 'lane-switches' }, [['Table', asTable, 'Show as a table'], ['Only trouble', onlyLoud, 'Only failures and blocks'], ['Fold', foldedSubs, 'Fold sub-agents']].map(([name, setting, title]) => h('button', { class: 'switch', title, 'aria-pressed': String(setting.value), onclick: () => (setting.value = !setting.value) }, name))),
  ];
}

let atNewest = true;
let scrolledFor = { node: null, data: null, height: '' };

const isAtEnd = (node) => node.scrollTop + node.clientHeight >= node.scrollHeight - 4;

// The newest session is at the bottom: it stays in sight unless the reader went to older ones.
function keepNewest(node, data) {
  const height = node.firstElementChild?.style.height;
  if (scrolledFor.node === node && scrolledFor.data === data && scrolledFor.height === height) return;
  if (scrolledFor.node !== node) atNewest = true;
  scrolledFor = { node, data, height };
  if (isNarrow()) node.scrollTop = 0;
  else if (atNewest) requestAnimationFrame(() => (node.scrollTop = node.scrollHeight));
}

async function olderLanes(data) {
  try {
    const more = await ask('lanes', { ...common(), limit: 40, before: data.cursor });
    change('lanes', (old) => ({ ...more, sessions: [...more.sessions, ...old.sessions], arcs: [...more.arcs, ...old.arcs], carries: [...more.carries, ...old.carries] }));
  } catch (error) {
    announce(error.message);
  }
}

function densityRow(at) {
  const answer = use('density', { project: project(), ...densityQuestion() });
  if (!answer.data) return h('div', { class: 'density-row' });
  return h('div', { class: 'density-row' }, h('span', { class: 'density-name' }, 'Last 7 days'), densityBars(answer.data, at));
}

function toldStrip(whole) {
  const data = whole.data?.told;
  const parts = data ? PARTS.filter((part) => data.parts?.[part] > 0) : [];
  const all = parts.reduce((sum, part) => sum + data.parts[part], 0);
  return h(
    'section',
    { class: 'panel strip' },
    h('h2', { class: 'panel-title' }, linkTo('/told', {}, 'plain', 'Told')),
    data ? h('span', { class: 'quiet-text' }, `about ${tokens(data.tokens ?? tokensOf(data.chars))} in ${plural(data.deliveries, 'delivery', 'deliveries')}`) : null,
    h('span', { class: 'grow' }),
    h('span', { class: 'shares', 'aria-hidden': 'true' }, parts.map((part) => h('i', { class: `share share-${part}`, style: { 'flex-grow': String(data.parts[part] / all) } }))),
    h('span', { class: 'share-names' }, parts.map((part) => h('span', { class: 'share-name' }, h('i', { class: `share share-${part}` }), part))),
  );
}

const sampleError = signal('');

async function showSample() {
  try {
    forgetAnswers();
    await openSample();
  } catch (error) {
    sampleError.value = error.message;
  }
}

function startStep(state, title, note, action) {
  const sign = state === 'done' ? glyph('fixed', 'tone-fixed') : state === 'now' ? glyph('live') : h('span', { class: 'quiet-text num' }, state);
  return h('li', { class: 'start-step' }, h('span', { class: 'start-sign' }, sign), h('div', {}, h('p', { class: state === 'done' || state === 'now' ? '' : 'quiet-text' }, title), h('p', { class: 'quiet-text' }, note)), action || null);
}

function emptyPage() {
  const wired = (meta.value?.agents || []).map((one) => one.name);
  const rulesCount = meta.value?.counts?.rules || 0;
  const will = [['prompt', 'Every session as a lane', 'what was asked, done, and what failed'], ['blocked', 'Where a rule stepped in', 'and what the agent did instead'], ['told', 'What agents were told', 'in words and tokens, with the reason'], ['fixed', 'What ended a failure', 'and every time it helped another session']];
  return h(
    'div',
    { class: 'overview' },
    h('h1', { class: 'sentence' }, sentenceParts(nothingSentence(projectName()))),
    panel({ title: 'Flight recorder', note: 'waiting for the first hook', class: 'recorder' }, h('div', { class: 'ghost-lanes', 'aria-hidden': 'true' }, [1, 2, 3].map(() => h('div', { class: 'ghost-lane' }, h('span', { class: 'ghost-tile' }), h('span', { class: 'ghost-words' }, h('i', {}), h('i', {})), h('span', { class: 'ghost-line' }))))),
    h(
      'div',
      { class: 'two' },
      panel(
        { title: 'To get going' },
        h('ol', { class: 'start-steps' }, startStep(wired.length > 0 ? 'done' : 'now', wired.length > 0 ? 'Agents are connected' : 'Connect your agents', wired.length > 0 ? wired.join(', ') : h('code', {}, 'nudge setup')), startStep(rulesCount > 0 ? 'done' : wired.length > 0 ? 'now' : '2', rulesCount > 0 ? 'This project has rules' : 'Add rules, if you want some', rulesCount > 0 ? plural(rulesCount, 'rule') : h('code', {}, 'nudge init')), startStep(wired.length > 0 && rulesCount > 0 ? 'now' : '3', 'Start a session in this folder', 'The page fills by itself; no reload is needed'), startStep('4', 'See it with sample data first', sampleError.value || 'Opens in this page, nothing is stored', h('button', { class: 'button', onclick: showSample }, 'Show a sample'))),
      ),
      panel({ title: 'What will be here' }, h('ul', { class: 'start-steps' }, will.map(([mark, title, note]) => h('li', { class: 'start-step start-one' }, glyph(mark, `kind-${mark}`), h('p', {}, title, ' ', h('span', { class: 'quiet-text' }, note)))))),
    ),
  );
}

