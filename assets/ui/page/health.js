// Health: is it working, and what does it cost in time?
import { h } from '../view.js';
import { glyph } from '../glyph.js';
import { code, linkTo, pane, panel, said, table } from '../part.js';
import { project, retry, use } from '../state.js';
import { mode } from '../door.js';
import { pageKeys } from '../keys.js';
import { copyButton } from '../copy.js';
import { millis } from '../row.js';
import { agent, bytes, count, plural } from '../words.js';
import { clockSeconds, now, span } from '../time.js';

export function healthPage() {
  const answer = use('health', { check: 1, project: project() });
  pageKeys({}, () => 'nudge doctor');
  return h('div', { class: 'health' }, pane(answer, 'health', healthBody));
}

const allHooks = (data) => [...(data.hooks?.latency || []), ...(data.by_hook || [])].find((one) => one.hook === null || one.hook === undefined);

function healthBody(data) {
  const checks = checksOf(data);
  const bad = checks.filter((check) => check.state !== 'ok').length;
  const total = allHooks(data);
  return [
    h('h1', { class: 'sentence' }, healthSentence(data, total, bad)),
    h('div', { class: 'health-two' }, checksPanel(checks), h('div', { class: 'side' }, histogramPanel(data, total), momentsPanel(data), sizesPanel(data))),
  ];
}

function healthSentence(data, total, bad) {
  const strong = (text, tone) => h('strong', { class: tone ? `count count-${tone}` : 'count' }, text);
  const lost = data.hooks?.dropped || data.lost || 0;
  const answers = lost > 0 ? [strong(plural(lost, 'event'), 'fail'), lost === 1 ? ' was lost. ' : ' were lost. '] : [strong('All hooks answer.'), ' '];
  const half = total && total.count > 0 ? [lost > 0 ? 'Half of the hooks answered within ' : 'Half of them within ', strong(millis(total.p50_us)), '. '] : 'No hook was called yet. ';
  return [h('span', {}, answers), h('span', {}, half), bad > 0 ? h('span', {}, strong(plural(bad, 'thing'), 'block'), bad === 1 ? ' wants a look.' : ' want a look.') : null];
}

const firstOf = (list) => (list || []).find((problem) => problem) || null;

function checkOf(name, text, problems, action) {
  const problem = firstOf((problems || []).filter((one) => one.severity !== 'info'));
  if (!problem) return { name, state: 'ok', text };
  const more = problems.length > 1 ? ` (and ${count(problems.length - 1)} more)` : '';
  return { name, state: problem.severity === 'error' ? 'fail' : 'warn', text: `${problem.message}${more}`, hint: problem.hint, action };
}

// The findings of `nudge doctor`, one row a part.
function checksOf(data) {
  const out = [];
  const { server, memory, folders, hooks } = data;
  if (server) out.push(checkOf('Hint server', serverWords(server), server.problems));
  if (memory) out.push(checkOf('Memory', memoryWords(memory), memory.problems));
  for (const one of data.agents || []) out.push(checkOf(agent(one.agent).name, agentWords(one), [...(one.problems || []), ...(one.places || []).flatMap((place) => place.problems || []), ...(one.entries || []).flatMap((entry) => entry.problems || [])]));
  if (data.rules !== undefined) out.push(checkOf('Rules', `${plural(data.rules, 'rule')}${data.disabled_rules ? `, ${count(data.disabled_rules)} disabled` : ''}`, data.problems, linkTo('/rules', {}, 'button', 'Show')));
  if (data.settings) out.push(checkOf('Settings', 'every setting is known', data.settings.problems));
  if (folders) out.push(checkOf('Permissions', 'files and folders are closed to others', folders.problems));
  if (data.state) out.push(checkOf('Project state', 'plan, tasks and notes can be read', data.state.problems));
  if (hooks) out.push(checkOf('Events', `${count(hooks.dropped || 0)} of ${count((allHooks(data)?.count || 0) + (hooks.dropped || 0))} lost`, hooks.problems));
  return out;
}

function serverWords(server) {
  const health = server.health;
  if (!health) return 'not running; an agent starts it when it needs it';
  const parts = [location.host];
  if (health.uptime_ms) parts.push(`up ${span(health.uptime_ms)}`);
  if (health.role) parts.push(health.proxies ? `${health.role} with ${plural(health.proxies, 'proxy', 'proxies')}` : health.role);
  return parts.join(', ');
}

function memoryWords(memory) {
  const parts = [];
  if (memory.rows !== null && memory.rows !== undefined) parts.push(plural(memory.rows, 'observation'));
  parts.push(bytes(memory.bytes || 0));
  if (memory.rows !== null && memory.rows === memory.indexed) parts.push('index complete');
  return parts.join(', ');
}

function agentWords(one) {
  const places = (one.places || []).filter((place) => place.hooks && place.hooks !== 'none');
  if (places.length === 0) return 'not connected';
  const answers = places.some((place) => place.answers);
  return `hooks ${places.map((place) => (place.reach === 'user' ? 'for you' : 'for this project')).join(' and ')}${answers ? ', a test event was answered' : ''}`;
}

const SIGNS = { ok: ['fixed', 'tone-fixed'], warn: ['warning', 'tone-block'], fail: ['failed', 'tone-fail'] };
const SIGN_NAMES = { ok: 'fine', warn: 'wants a look', fail: 'broken' };

function checksPanel(checks) {
  const again = mode.value === 'live' ? h('button', { class: 'button', onclick: () => retry('health') }, 'Check again') : null;
  return panel(
    { title: 'Checks', note: 'as nudge doctor', side: [h('span', { class: 'panel-side num' }, `${plural(checks.length, 'check')}, ${clockSeconds(now())}`), again], pane: 'checks' },
    checks.length === 0 ? h('p', { class: 'list-note' }, 'The checks have not been run.') : h('ul', { class: 'checks' }, checks.map(checkRow)),
  );
}

function checkRow(one) {
  const [mark, tone] = SIGNS[one.state];
  const action = one.state === 'ok' ? null : one.action || (one.hint ? copyButton(one.hint, 'Copy steps') : null);
  return h('li', { class: 'check-row', key: one.name }, h('span', { class: 'check-sign' }, glyph(mark, tone), h('span', { class: 'unseen' }, SIGN_NAMES[one.state])), said(one.name, 'check-name'), h('div', { class: 'check-text' }, h('p', {}, said(one.text)), one.hint && one.state !== 'ok' ? h('p', { class: 'told-why' }, said(one.hint)) : null), action);
}

// Bars over a logarithmic axis, with the two quantiles as hairs.
function histogramPanel(data, total) {
  const list = (data.histogram || []).filter((one) => one.to_us > 0);
  if (list.length === 0) return panel({ title: 'How long hooks take' }, h('p', { class: 'list-note' }, 'No hook was called yet.'));
  const first = list[0].to_us / 1.35;
  const last = list.at(-1).to_us;
  const x = (us) => Math.max(0, Math.min(100, (100 * Math.log(us / first)) / Math.log(last / first)));
  const top = Math.max(...list.map((one) => one.n));
  const bar = (one, i) => {
    const from = x(i > 0 ? list[i - 1].to_us : first);
    const tall = one.n > 0 ? Math.max(1, (one.n / top) * 82) : 0;
    return one.n > 0 ? `M${from.toFixed(2)} ${(100 - tall).toFixed(1)}H${(x(one.to_us) - 0.25).toFixed(2)}V100H${from.toFixed(2)}z` : '';
  };
  const ticks = [200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 1000000].filter((us) => us >= first && us <= last);
  const hair = (name, us, flip) => h('span', { class: `hair ${flip ? 'hair-flip' : ''}`, style: { left: `${x(us)}%` } }, h('span', {}, `${name} ${millis(us)}`));
  return panel(
    { title: 'How long hooks take', note: `last ${count(total?.count ?? list.reduce((sum, one) => sum + one.n, 0))}, log scale` },
    h('div', { class: 'histogram' }, h('svg', { viewBox: '0 0 100 101', preserveAspectRatio: 'none', role: 'img', 'aria-label': total ? `Half of the hooks take ${millis(total.p50_us)}, 95 of 100 take at most ${millis(total.p95_us)}` : 'How long hooks take' }, h('path', { d: list.map(bar).join('') }), h('path', { d: 'M0 100.5H100', class: 'bars-line' })), total ? [hair('p50', total.p50_us, x(total.p95_us) - x(total.p50_us) < 16), hair('p95', total.p95_us)] : null),
    h('div', { class: 'histogram-axis num', 'aria-hidden': 'true' }, ticks.map((us) => h('span', { style: { left: `${x(us)}%` } }, us >= last / 2.1 ? `${us / 1000} ms` : String(us / 1000)))),
  );
}

function momentsPanel(data) {
  const rows = (data.by_hook || data.hooks?.latency || []).filter((one) => one.hook);
  if (rows.length === 0) return null;
  return panel({ title: 'By moment' }, h('div', { class: 'table-scroll' }, table('moments', [['Moment'], ['Calls', 'right'], ['p50', 'right'], ['p95', 'right'], ['Slowest', 'right']], rows.map((row) => h('tr', { key: row.hook }, h('td', {}, code(row.hook)), h('td', { class: 'right num' }, count(row.count)), h('td', { class: 'right num' }, millis(row.p50_us)), h('td', { class: 'right num' }, millis(row.p95_us)), h('td', { class: 'right num' }, millis(row.max_us)))))));
}

function sizesPanel(data) {
  const days = data.retention_days || {};
  if (Object.keys(days).length === 0) return null;
  const lengths = [...new Set(Object.values(days))].sort((a, b) => (a || Infinity) - (b || Infinity));
  const types = (n) => Object.keys(days).filter((type) => days[type] === n).map((type) => type.replaceAll('_', ' '));
  return panel({ title: 'How long it is kept' }, h('ul', { class: 'kept-list' }, lengths.map((n) => h('li', { key: String(n) }, h('span', { class: 'num' }, n ? plural(n, 'day') : 'forever'), h('span', { class: 'quiet-text' }, types(n).join(', '))))));
}
