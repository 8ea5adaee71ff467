// One rule: what it is for, its replay, its last firings, and a text to try it with.
import { h, signal } from '../view.js';
import { glyph } from '../glyph.js';
import { chip, code, linkTo, pane, panel, pathText, said, shortId, tile } from '../part.js';
import { common, project, use } from '../state.js';
import { ask, mode, segment } from '../door.js';
import { ruleSwitch } from '../act.js';
import { copyButton } from '../copy.js';
import { replayButton } from '../replay.js';
import { count, plural, sessions } from '../words.js';
import { dayMonth, now, span, when } from '../time.js';

const tried = signal({ rule: '', busy: false, outcomes: null, error: '' });

export function rulePanel(name, known) {
  const answer = use(`rule/${segment(name)}`, common(), 'rule');
  return panel({ class: 'full detail', pane: 'rule', label: 'The chosen rule' }, known ? ruleHead(known) : null, pane(answer, 'rule', (data) => ruleBody(data, known)));
}

const ruleBlocks = (rule) => /block|deny|ask/.test(rule.action || '');

function ruleHead(rule) {
  return [
    h(
      'div',
      { class: 'detail-part', key: 'head' },
      h('div', { class: 'rule-head' }, h('h2', { class: 'detail-title' }, glyph(ruleBlocks(rule) ? 'blocked' : 'told', ruleBlocks(rule) ? 'kind-blocked' : 'kind-told'), said(rule.name), rule.enabled ? chip(rule.action === 'ask' ? 'asks' : ruleBlocks(rule) ? 'blocks' : 'guides', ruleBlocks(rule) ? 'block' : 'told') : chip('off'), rule.shadow ? chip('shadow: counted, silent') : null), h('span', { class: 'grow' }), ruleSwitch(rule)),
      h('p', { class: 'quiet-text' }, rule.place ? [code(rule.place), ' '] : null, said(rule.description || '')),
    ),
    h('div', { class: 'detail-part detail-code', key: 'code' }, ruleLines(rule)),
  ];
}

function ruleLines(rule) {
  const on = [rule.hook, rule.tool, rule.file].filter(Boolean).join('  ');
  const lines = [['on:', on], ['match:', rule.match], ['says:', rule.message]].filter(([, text]) => text);
  return h('dl', { class: 'rule-lines' }, lines.map(([name, text]) => h('div', { key: name }, h('dt', {}, h('code', {}, name)), h('dd', {}, code(text)))));
}

function ruleBody(data, known) {
  const rule = data.rule || known || data;
  return [known ? null : rule.name ? ruleHead(rule) : null, data.replay ? replayPart(data.replay, rule) : replayOffer(rule), firingsPart(data.firings || [], rule), tryPart(rule)];
}

function replayOffer(rule) {
  return h('div', { class: 'detail-part', key: 'replay' }, h('h3', { class: 'panel-title' }, 'Replay'), h('p', { class: 'quiet-text' }, 'Tries this rule on the calls of the last 90 days: how often it would have fired, and on what.'), replayButton(rule.name, 'Replay on 90 days'));
}

// A dot for each case: hollow before the rule was there, crossed where it would have been wrong.
function replayPart(replay, rule) {
  const from = now() - replay.days * 86400000;
  const x = (ms) => Math.max(1, Math.min(99, (100 * (ms - from)) / (now() - from)));
  const wrong = replay.cases.filter((one) => one.wrong).length;
  const added = rule.added_ms || Math.min(...replay.cases.filter((one) => !one.before_rule).map((one) => one.at_ms));
  const kind = (one) => (one.wrong ? 'wrong' : one.before_rule ? 'before' : 'blocked');
  return h(
    'div',
    { class: 'detail-part', key: 'replay' },
    h('h3', { class: 'panel-title part-head' }, `Replayed on ${plural(replay.days, 'day')}`, h('span', { class: 'grow' }), h('span', { class: 'panel-note num' }, `${plural(replay.calls, 'call')}${replay.sessions > 0 ? ` in ${sessions(replay.sessions)}` : ''}`)),
    h('div', { class: 'replay', 'aria-hidden': 'true' }, replay.cases.map((one, index) => h('span', { key: index, class: 'case-dot', style: { left: `${x(one.at_ms)}%` } }, glyph(kind(one), one.wrong ? 'tone-fail' : 'kind-blocked'))), Number.isFinite(added) && x(added) > 2 ? h('i', { class: 'replay-added', style: { left: `${x(added)}%` } }) : null),
    h('p', { class: 'case-ends num' }, h('span', {}, dayMonth(from)), Number.isFinite(added) && x(added) > 25 && x(added) < 75 ? h('span', {}, `${rule.added_ms ? 'rule added' : 'first fired'} ${dayMonth(added)}`) : null, h('span', {}, 'today')),
    h('p', { class: 'quiet-text' }, 'Would have fired ', h('strong', { class: 'tone-fg' }, plural(replay.fired ?? replay.cases.length, 'time')), '. ', replay.cases.length === 0 ? null : !ruleBlocks(rule) ? 'It only speaks, so nothing would have been stopped.' : wrong > 0 ? ['In ', h('strong', { class: 'tone-fail' }, count(wrong)), ' what it would have stopped was right and stayed.'] : 'None of them was wrong.', replay.note ? [' ', said(replay.note)] : null),
    narrowedFile(replay, rule),
    replay.at_ms && mode.value === 'live' ? replayButton(rule.name, 'Replay again') : null,
  );
}

// If all wrong cases are below one folder and no other case is only there, the rule can leave that folder out.
function narrowedFile(replay, rule) {
  const wrong = replay.cases.filter((one) => one.wrong);
  const folder = (one) => (/^[\w.-]+\//.exec(one.target || '') || [''])[0];
  const [first] = wrong.map(folder);
  if (!first || !wrong.every((one) => folder(one) === first)) return null;
  const left = replay.cases.filter((one) => folder(one) !== first);
  if (left.length === 0) return null;
  const line = `file: ${JSON.stringify([rule.file, `!${first}**`].filter(Boolean).join(' ').split(' '))}`;
  return h('p', { class: 'replay-run' }, copyButton(line, `Copy with file: "!${first}**"`), h('span', { class: 'quiet-text num' }, `${plural(left.length, 'firing')} left, ${count(left.filter((one) => one.wrong).length)} wrong`));
}

const VERDICTS = { obeyed: ['fixed', 'tone-fixed', (ms) => `rewritten ${span(ms)} later`], insisted: ['failed', 'tone-fail', () => 'tried again'], none: ['fixed', 'tone-fixed', () => 'not tried again'] };

function firingsPart(firings, rule) {
  if (firings.length === 0) return h('div', { class: 'detail-part', key: 'firings' }, h('h3', { class: 'panel-title' }, 'Last firings'), h('p', { class: 'quiet-text' }, rule.fired > 0 ? ['It spoke, and blocked nothing: ', linkTo('/live', { rule: rule.name }, '', plural(rule.fired, 'call')), '.'] : 'It has not fired in this range.'));
  const end = (next) => {
    if (!next) return null;
    const [mark, tone, words] = VERDICTS[next.verdict] || ['read', 'tone-quiet', () => next.verdict];
    return h('span', { class: 'firing-end' }, glyph(mark, tone), words(next.after_ms || 0));
  };
  return h(
    'div',
    { class: 'detail-part', key: 'firings' },
    h('h3', { class: 'panel-title' }, 'Last firings'),
    h('ul', { class: 'firings', 'data-rows': 'firings' }, firings.slice(0, 12).map(({ row, next }) => h('li', { class: 'firing', key: row.id }, h('span', { class: 'quiet-text num' }, when(row.at_ms)), tile(row.agent), linkTo(`/session/${segment(row.session)}`, row.obs?.[0] ? { o: row.obs[0] } : {}, 'plain quiet-text', h('code', {}, shortId(row.session))), /^\S*\/\S+$/.test(row.target || '') ? pathText(row.target) : code(row.target), end(next)))),
  );
}

function tryPart(rule) {
  if (mode.value !== 'live') return h('div', { class: 'detail-part', key: 'try' }, h('h3', { class: 'panel-title' }, 'Try it'), h('p', { class: 'quiet-text' }, 'Trying a text needs the server: ', h('code', {}, 'nudge ui'), '.'));
  const state = tried.value.rule === rule.name ? tried.value : { outcomes: null, error: '' };
  const send = (event) => {
    event.preventDefault();
    const form = event.target.elements;
    judge(rule, form.file.value, form.content.value);
  };
  return h(
    'div',
    { class: 'detail-part', key: 'try' },
    h('h3', { class: 'panel-title' }, 'Try it'),
    h('form', { class: 'try', onsubmit: send }, h('p', { class: 'try-line' }, h('label', { for: 'try-file' }, (rule.tool || 'Write').split('|')[0]), h('input', { id: 'try-file', name: 'file', class: 'try-file', placeholder: 'src/app.ts', 'aria-label': 'File', spellcheck: 'false' }), h('span', { class: 'quiet-text' }, 'nothing is run or stored')), h('textarea', { name: 'content', rows: '2', 'aria-label': 'Text', placeholder: 'the text or command to judge', spellcheck: 'false' }), h('p', {}, h('button', { class: 'button', disabled: state.busy }, 'Judge it'))),
    state.error ? h('p', { class: 'tone-fail', role: 'alert' }, said(state.error)) : null,
    state.outcomes ? outcomesList(state.outcomes) : null,
  );
}

function outcomesList(all) {
  const outcomes = all.filter((one) => one.outcome !== 'silent');
  if (outcomes.length === 0) return h('p', { class: 'try-outcome', role: 'status' }, glyph('fixed', 'tone-fixed'), h('span', {}, 'would pass'));
  const blocked = (one) => /block|deny/.test(one.outcome);
  return h('div', { role: 'status' }, outcomes.map((one) => h('p', { class: 'try-outcome', key: one.rule }, glyph(blocked(one) ? 'blocked' : 'told', blocked(one) ? 'kind-blocked' : 'kind-told'), h('span', {}, h('span', { class: blocked(one) ? 'tone-block strong' : 'tone-told strong' }, blocked(one) ? 'would block' : one.outcome === 'unevaluated' ? 'cannot be judged here' : `would ${one.outcome}`), ' ', said(one.message || '')))));
}

async function judge(rule, file, content) {
  tried.value = { rule: rule.name, busy: true, outcomes: null, error: '' };
  const tool = (rule.tool || 'Write').split('|')[0];
  try {
    const answer = await ask('try', null, { body: { rule: rule.name, tool, file: file || (tool === 'Bash' ? '' : 'src/app.ts'), content, project: project() } });
    tried.value = { rule: rule.name, busy: false, outcomes: answer.outcomes, error: '' };
  } catch (error) {
    tried.value = { rule: rule.name, busy: false, outcomes: null, error: error.message };
  }
}
