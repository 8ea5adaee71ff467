// Plan: what is decided, done, ready, and in the way.
import { h } from '../view.js';
import { glyph } from '../glyph.js';
import { chip, choices, code, facts, linkTo, nothing, pane, panel, said, table, timeText } from '../part.js';
import { kindGlyph } from '../row.js';
import { isActive, isDone, taskGraph, taskWords } from '../graph.js';
import { segment } from '../door.js';
import { amend, needsProject, project, route, use } from '../state.js';
import { pageKeys } from '../keys.js';
import { command, copyButton } from '../copy.js';
import { count, plural } from '../words.js';
import { parseTime, shortDate } from '../time.js';
import { isNarrow } from '../screen.js';

const MAX_GRAPH = 200;

export function planPage() {
  const answer = use('plan', { project: project() });
  pageKeys({}, () => 'nudge plan status');
  return h('div', { class: 'plan-page' }, pane(answer, 'plan', planBody));
}

const numbers = (tasks) => ({ done: tasks.filter(isDone).length, active: tasks.filter(isActive).length, ready: tasks.filter((task) => task.ready).length });

function planNote(tasks) {
  const { done, active, ready } = numbers(tasks);
  const parts = [`${count(done)} of ${count(tasks.length)} done`];
  if (active > 0) parts.push(`${count(active)} in progress`);
  if (ready > 0) parts.push(`${count(ready)} ready`);
  return parts.join(', ');
}

const issuesOf = (data) => data.plan?.issues || [];

function planBody(data) {
  const tasks = data.tasks || [];
  if (tasks.length === 0 && issuesOf(data).length === 0) return panel({ title: 'Plan', level: 'h1', class: 'full' }, nothing('There is no plan and no task here.', ...(needsProject() ? ['A plan belongs to a project: choose one on top.'] : ['Agents write them with their tools, you with ', h('code', {}, 'nudge plan start'), '.'])), closedCycles(data));
  const asList = route.value.params.as === 'list' || isNarrow() || tasks.length > MAX_GRAPH;
  const wanted = Number(route.value.params.task);
  const chosen = tasks.find((task) => task.id === wanted) || tasks.find(isActive) || tasks.find((task) => task.ready) || tasks[0];
  const choose = (id) => amend({ task: id });
  const side = tasks.length > MAX_GRAPH || isNarrow() ? null : choices('Show as', [['', 'Graph'], ['list', 'List']], asList ? 'list' : '', (value) => amend({ as: value || undefined }));
  return [
    panel({ title: said(data.plan?.topic || data.goal || 'Tasks'), level: 'h1', note: planNote(tasks), side, class: 'plan-top', pane: 'plan' }, flaws(data), tasks.length === 0 ? nothing('No task yet.') : asList ? taskTable(tasks, chosen, choose) : h('div', { class: 'graph-scroll', 'data-rows': 'plan', tabindex: '0', role: 'region', 'aria-label': 'Tasks' }, taskGraph(data, chosen?.id, choose))),
    h('div', { class: 'plan-low' }, panel({ title: 'Decisions', note: data.plan ? [`plan ${data.plan.id}, `, said(data.plan.topic)] : '', side: h('span', { class: 'panel-side' }, decidedNote(data)), pane: 'decisions' }, decisions(data), closedCycles(data)), chosen ? taskPanel(chosen, data) : null),
  ];
}

function flaws(data) {
  return (data.flaws || []).map((flaw, index) => h('p', { class: 'flaw tone-fail', key: index }, glyph('failed'), said(typeof flaw === 'string' ? flaw : flaw.message || JSON.stringify(flaw))));
}

function decidedNote(data) {
  const all = issuesOf(data);
  return all.length > 0 ? `${count(all.filter((issue) => issue.status === 'decided').length)} of ${count(all.length)} decided` : '';
}

function decisions(data) {
  const all = issuesOf(data);
  if (all.length === 0) return nothing('Nothing had to be decided.');
  return h('ul', { class: 'decisions' }, all.map((issue) => h('li', { class: 'decision', key: issue.id }, issue.status === 'decided' ? glyph('fixed', 'tone-fixed') : glyph('dead', 'tone-quiet'), h('div', {}, h('p', { class: 'decision-title' }, said(issue.title)), issue.status === 'decided' ? h('p', { class: 'quiet-text' }, said(issue.decision || '')) : h('p', { class: 'tone-block' }, 'undecided')))));
}

function closedCycles(data) {
  const list = data.history || [];
  if (list.length === 0) return null;
  const one = (cycle, index) => h('li', { class: 'cycle', key: index }, h('span', { class: 'quiet-text num' }, cycleDay(cycle)), said(cycle.topic || cycle.title || cycle.plan || 'a cycle', 'strong'), h('span', { class: 'quiet-text' }, cycleNote(cycle)), h('span', { class: 'grow' }), cycle.branch ? code(cycle.branch, 'quiet-text') : null);
  return [h('h2', { class: 'panel-title part-title' }, 'Closed cycles', h('span', { class: 'panel-note' }, ' from history.json')), h('ul', { class: 'cycles' }, list.slice(0, 12).map(one))];
}

function cycleDay(cycle) {
  const at = cycle.closed_ms ?? parseTime(cycle.closed_at);
  return at ? shortDate(at) : '';
}

function cycleNote(cycle) {
  const parts = [];
  if (cycle.tasks !== undefined) parts.push(`${count(cycle.done ?? cycle.tasks)} of ${count(cycle.tasks)} done`);
  if (cycle.decisions) parts.push(plural(cycle.decisions, 'decision'));
  return parts.join(', ');
}

function taskTable(tasks, chosen, choose) {
  return h('div', { class: 'table-scroll', 'data-rows': 'plan' }, table('tasks-table', [['Task'], ['State'], ['After', 'hide-narrow']], tasks.map((task) => h('tr', { key: task.id, class: `row-link ${task === chosen ? 'row-here' : ''}`, onclick: () => choose(task.id) }, h('td', {}, h('button', { class: 'plain-button', 'data-row': task.id, onclick: () => choose(task.id) }, h('span', { class: 'quiet-text num' }, `${task.id} `), said(task.title))), h('td', { class: isDone(task) ? 'tone-fixed' : 'quiet-text' }, taskWords(task)), h('td', { class: 'quiet-text num hide-narrow' }, (task.deps || []).join(', '))))));
}

function taskPanel(task, data) {
  const during = data.during?.[task.id] || [];
  const issue = issuesOf(data).find((one) => one.id === task.plan_issue);
  const session = task.session ? linkTo(`/session/${segment(task.session)}`, {}, '', said(task.session_title || task.session)) : null;
  return panel(
    { title: [`${task.id} · `, said(task.title)], side: chip(isActive(task) ? 'in progress' : isDone(task) ? 'done' : task.ready ? 'ready' : 'waits', isDone(task) ? 'fixed' : ''), class: 'detail', pane: 'task' },
    h('div', { class: 'detail-part' }, facts([['Owner', task.owner ? [said(task.owner), session ? [', in ', session] : null] : null], ['Context', task.context ? said(task.context) : null], ['Approach', task.approach ? said(task.approach) : null], ['Accepted if', task.acceptance ? said(task.acceptance) : null], ['Risk', task.risk ? said(task.risk) : null], ['Decision', issue ? said(issue.title) : null], ['After', (task.deps || []).join(', ')]])),
    during.length > 0 ? h('div', { class: 'detail-part' }, h('h3', { class: 'panel-title' }, 'What happened on it'), h('ul', { class: 'around' }, during.map((one) => h('li', { key: one.id }, timeText(one.at_ms, 'clock'), kindGlyph(one.kind), code(one.subject || one.file))))) : null,
    h('div', { class: 'detail-part detail-actions' }, copyButton(isDone(task) ? command('nudge', 'task', 'reopen', task.id) : isActive(task) ? command('nudge', 'task', 'done', task.id) : command('nudge', 'task', 'show', task.id))),
  );
}

// One line of the plan, for the overview.
export function planStrip() {
  const answer = use('plan', { project: project() }, 'plan-strip');
  const data = answer.data;
  const tasks = data?.tasks || [];
  const { done } = numbers(tasks);
  const next = tasks.find((task) => task.ready) || tasks.find(isActive);
  const state = (task) => (isDone(task) ? 'done' : isActive(task) ? 'active' : task.ready ? 'ready' : 'waits');
  const order = ['done', 'active', 'ready', 'waits'];
  return h(
    'section',
    { class: 'panel strip' },
    h('h2', { class: 'panel-title' }, linkTo('/plan', {}, 'plain', 'Plan')),
    tasks.length === 0 ? h('span', { class: 'quiet-text' }, answer.error ? 'cannot be shown' : data ? 'no plan is open' : '') : [h('span', { class: 'quiet-text strip-topic' }, said(data.plan?.topic || data.goal || 'tasks')), h('span', { class: 'quiet-text num' }, `${count(done)} of ${count(tasks.length)}`), h('span', { class: 'grow' }), h('span', { class: 'steps', 'aria-hidden': 'true' }, tasks.map(state).sort((a, b) => order.indexOf(a) - order.indexOf(b)).slice(0, 12).map((name) => h('i', { class: `step step-${name}` }))), next ? h('span', { class: 'quiet-text strip-next' }, 'next: ', said(next.title, 'tone-fg')) : null],
  );
}
