// Rules: which ones work, which are dead, which are wrong.
import { h } from '../view.js';
import { glyph } from '../glyph.js';
import { bars, chip, choices, code, linkTo, nothing, pane, panel, said, split, table } from '../part.js';
import { mode, segment } from '../door.js';
import { replayButton } from '../replay.js';
import { amend, common, go, link, needsProject, project, range, route, use } from '../state.js';
import { pageKeys } from '../keys.js';
import { command, copyButton } from '../copy.js';
import { ago, count, plural, share } from '../words.js';
import { isNarrow } from '../screen.js';
import { rulePanel } from './rule.js';
import { monthAgo } from './walls.js';

export const rulePath = (name) => `/rule/${segment(name)}`;

const blocks = (rule) => /block|deny|ask/.test(rule.action);
const asks = (rule) => rule.action === 'ask';

const RULE_FILTERS = {
  block: ['Block', (rule) => rule.enabled && !rule.dead && blocks(rule) && !asks(rule)],
  ask: ['Ask', (rule) => rule.enabled && !rule.dead && asks(rule)],
  guide: ['Guide', (rule) => rule.enabled && !rule.dead && !blocks(rule)],
  off: ['Off', (rule) => !rule.enabled],
  dead: ['Dead', (rule) => Boolean(rule.dead)],
};

export function rulesPage(name) {
  const answer = use('rules', common());
  const all = answer.data?.rules || [];
  const filter = route.value.params.only || '';
  const rows = filter && RULE_FILTERS[filter] ? all.filter(RULE_FILTERS[filter][1]) : all.filter((rule) => !rule.dead || !rule.enabled);
  const chosen = name || (isNarrow() ? '' : rows[0]?.name) || '';
  pageKeys({ Escape: name ? () => history.back() : undefined }, () => 'nudge rules');
  const list = panel({ title: 'Rules', level: 'h1', note: answer.data ? rulesNote(answer.data) : '', side: all.length > 0 ? ruleChoices(all, filter) : null, class: 'full', pane: 'rules' }, pane(answer, 'rules', (data) => rulesBody(data, rows, chosen)));
  const rule = all.find((one) => one.name === chosen);
  const detail = chosen ? rulePanel(chosen, rule) : null;
  return split(list, detail, { narrow: isNarrow(), chosen: Boolean(name), back: '/rules', name: 'Rules', class: 'split-rules' });
}

const rulesNote = (data) => `${count(data.rules.length)}${data.files ? ` in ${plural(typeof data.files === 'number' ? data.files : data.files.length, 'file')}` : ''}`;

function ruleChoices(all, filter) {
  const list = [['', `All ${all.length}`]];
  for (const [key, [text, fits]] of Object.entries(RULE_FILTERS)) {
    const n = all.filter(fits).length;
    if (n > 0) list.push([key, `${text} ${n}`]);
  }
  return choices('Show', list, filter, (value) => amend({ only: value || undefined }));
}

export function ruleGlyph(rule) {
  if (!rule.enabled || rule.dead) return glyph('dead', 'tone-quiet');
  return blocks(rule) ? glyph('blocked', 'kind-blocked') : glyph('told', 'kind-told');
}

const ruleWhere = (rule) => [rule.hook, [rule.tool, rule.file || rule.match].filter(Boolean).join(' ')].filter(Boolean);

function rulesBody(data, rows, chosen) {
  if (data.rules.length === 0 && (data.broken || []).length === 0) return nothing('There are no rules here.', ...(needsProject() ? ['Those of a project are shown when it is chosen on top.'] : ['A file .nudge.yaml in the project has them: ', h('code', {}, 'nudge init')]));
  const dead = data.rules.filter((rule) => rule.dead && rule.enabled);
  const heads = [['Rule'], ['30 days', 'hide-narrow'], ['Fired', 'right'], ['Obeyed', 'right hide-narrow'], ['Wrong', 'right hide-narrow'], ['Last', 'right']];
  return [
    h('div', { class: 'table-scroll', 'data-rows': 'rules' }, table('rules-table', heads, rows.map((rule) => ruleRow(rule, chosen)))),
    mode.value === 'live' && data.rules.some((rule) => rule.enabled && rule.of === undefined) ? h('div', { class: 'list-note replay-all' }, replayButton('', 'Replay all rules on 90 days'), h('span', { class: 'quiet-text' }, 'fills “Wrong”: calls that a rule would have stopped, and that were right')) : null,
    dead.length + (data.broken || []).length > 0 ? h('h2', { class: 'panel-title needs-look' }, 'Needs a look') : null,
    dead.map(deadRule),
    (data.broken || []).map(brokenFile),
  ];
}

function ruleRow(rule, chosen) {
  const where = ruleWhere(rule);
  const here = rule.name === chosen;
  const of = (part, all) => (all ? `${count(part)} of ${count(all)}` : '—');
  return h(
    'tr',
    { key: rule.name, class: `row-link ${here ? 'row-here' : ''} ${rule.enabled ? '' : 'row-off'}`, onclick: () => go(rulePath(rule.name)) },
    h('td', {}, h('span', { class: 'rule-cell' }, ruleGlyph(rule), h('span', { class: 'rule-words' }, h('a', { class: 'plain rule-name', href: link(rulePath(rule.name)), 'data-row': rule.name, 'aria-current': here ? 'true' : undefined }, said(rule.name)), rule.source === 'repository' ? chip('from the repository') : null, h('span', { class: 'rule-where' }, said(where[0] || ''), where[1] ? [' · ', code(where[1])] : null)))),
    h('td', { class: 'hide-narrow' }, bars(rule.bars, blocks(rule) ? 'block' : 'told')),
    h('td', { class: 'right num' }, h('span', { class: rule.fired ? 'strong' : 'quiet-text' }, count(rule.fired || 0))),
    h('td', { class: 'right num quiet-text hide-narrow' }, blocks(rule) && rule.fired ? of(rule.obeyed ?? 0, (rule.obeyed ?? 0) + (rule.insisted ?? 0)) : '—'),
    h('td', { class: `right num hide-narrow ${rule.wrong ? 'tone-fail' : 'quiet-text'}` }, rule.of === undefined || rule.of === null ? '—' : of(rule.wrong || 0, rule.of)),
    h('td', { class: 'right num quiet-text' }, rule.enabled ? ago(rule.last_ms) : 'off'),
  );
}

function deadRule(rule) {
  const { dead } = rule;
  return h(
    'div',
    { class: 'look', key: `dead${rule.name}` },
    h('p', { class: 'look-head' }, glyph('dead', 'tone-quiet'), linkTo(rulePath(rule.name), {}, 'plain strong', said(rule.name)), chip('dead'), h('span', { class: 'grow' }), h('span', { class: 'quiet-text' }, `no firing in ${plural(dead.days, 'day')}`)),
    h('p', { class: 'look-text' }, said(dead.reason || `${plural(dead.looked_at, 'call')} of its moment came, none matched.`), ' ', copyButton(command('nudge', 'rules', 'disable', rule.name), 'Copy the command that disables it', 'text-copy')),
  );
}

// The line with the caret says what is wrong.
const frameLines = (text) => text.split('\n').map((line, index) => h('span', { key: index, class: /^\s*\|?\s*\^/.test(line) ? 'tone-fail' : '' }, `${line}\n`));

function brokenFile(problem) {
  return h(
    'div',
    { class: 'look', key: `broken${problem.file || problem.place}` },
    h('p', { class: 'look-head' }, glyph('failed', 'tone-fail'), code(problem.file || problem.place || 'a rule file', 'strong'), chip('skipped', 'fail'), h('span', { class: 'grow' }), h('span', { class: 'quiet-text' }, 'all other rules still apply')),
    h('pre', { class: 'look-frame', dir: 'auto', tabindex: '0' }, frameLines(problem.frame || problem.message || '')),
    problem.frame && problem.message ? h('p', { class: 'look-text tone-fail' }, said(problem.message)) : null,
    problem.hint ? h('p', { class: 'look-text quiet-text' }, said(problem.hint)) : null,
  );
}

// Six rules, for the overview.
export function rulesGlance() {
  const wide = !['30d', 'all'].includes(range()) ? { project: project(), from_ms: monthAgo(), to_ms: undefined } : {};
  const answer = use('rules', { ...common(), ...wide }, 'rules-glance');
  const side = linkTo('/rules', {}, 'plain panel-side', answer.data ? `All ${answer.data.rules.length}` : 'All');
  const heads = [['Rule', 'unseen-head'], ['30 days'], ['fired', 'right'], ['obeyed', 'right'], ['last', 'right']];
  const show = (data) => {
    if (data.rules.length === 0) return nothing('There are no rules here.', ...(needsProject() ? ['Those of a project are shown when it is chosen on top.'] : [h('code', {}, 'nudge init'), ' adds some.']));
    const dead = data.rules.filter((rule) => rule.dead).length;
    return [h('div', { class: 'table-scroll', 'data-rows': 'rules' }, table('rules-glance', heads, glanceRules(data.rules).map(glanceRule))), dead > 0 ? h('p', { class: 'list-note' }, `${plural(dead, 'rule has', 'rules have')} not fired in 90 days`) : null];
  };
  return panel({ title: 'Rules', note: 'what fires, and whether it helps', side, class: 'glance', pane: 'rules' }, pane(answer, 'rules-glance', show));
}

const MAX_GLANCE = 6;

// The dead one stays in sight: it is what wants a look.
function glanceRules(rules) {
  const dead = rules.filter((rule) => rule.dead && rule.enabled).slice(0, 1);
  const others = rules.filter((rule) => !rule.dead && rule.enabled).sort((a, b) => (b.last_ms || 0) - (a.last_ms || 0));
  return [...others.slice(0, MAX_GLANCE - dead.length), ...dead];
}

function glanceRule(rule) {
  const of = (rule.obeyed ?? 0) + (rule.insisted ?? 0);
  return h('tr', { key: rule.name, class: rule.dead ? 'row-off' : '' }, h('td', {}, h('span', { class: 'rule-cell' }, ruleGlyph(rule), h('a', { class: 'plain rule-name', 'data-row': rule.name, href: link(rulePath(rule.name)) }, said(rule.name)))), h('td', {}, bars(rule.bars, blocks(rule) ? 'block' : 'told')), h('td', { class: 'right num' }, count(rule.fired || 0)), h('td', { class: 'right num quiet-text' }, blocks(rule) && rule.fired ? share(rule.obeyed ?? 0, of) : rule.dead ? '' : '—'), h('td', { class: 'right num quiet-text' }, ago(rule.last_ms)));
}

