// Sentences, plurals and names: the only place where the page makes sentences from data.
import { clock, dayMonth, longDay, now, span, when } from './time.js';

export function count(n) {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function plural(n, one, many) {
  return `${count(n)} ${n === 1 ? one : many || `${one}s`}`;
}

export const sessions = (n) => plural(n, 'session');
export const tokens = (n) => plural(n, 'token');

// About how many tokens a text of that many characters is.
export const tokensOf = (chars) => Math.round(chars / 3.3);

const AGENTS = {
  'claude-code': { name: 'Claude Code', short: 'Cl', hue: 'claude' },
  codex: { name: 'Codex', short: 'Cx', hue: 'codex' },
  'gemini-cli': { name: 'Gemini CLI', short: 'Ge', hue: 'gemini' },
  cursor: { name: 'Cursor', short: 'Cu', hue: 'cursor' },
  opencode: { name: 'OpenCode', short: 'Oc', hue: 'opencode' },
  copilot: { name: 'Copilot CLI', short: 'Co', hue: 'copilot' },
};

// What the doctor calls them.
const SHORT_IDS = { claude: 'claude-code', gemini: 'gemini-cli' };

export function agent(id) {
  if (id && Object.hasOwn(SHORT_IDS, id)) return AGENTS[SHORT_IDS[id]];
  if (id && Object.hasOwn(AGENTS, id)) return AGENTS[id];
  const name = id || 'unknown agent';
  return { name, short: id ? [...name].slice(0, 2).join('') : '–', hue: 'other' };
}

export const KINDS = ['read', 'edit', 'command', 'prompt', 'failed', 'fixed', 'blocked', 'told', 'commit'];
export const LOUD = ['prompt', 'failed', 'fixed', 'blocked', 'told', 'commit'];

// The sentence of the overview as parts: plain text, or a number that can be clicked.
export function overviewSentence(data, range, projectName) {
  if (data.sessions === 0) return emptySentence(range, projectName);
  const parts = [{ strong: plural(data.agents, 'agent') }, { text: ' ran ' }, { strong: sessions(data.sessions), page: '/sessions' }, { text: ` ${rangeWords(range)}. ` }];
  const acts = [];
  if (data.blocked > 0) acts.push([{ strong: `stopped ${plural(data.blocked, 'call')}`, tone: 'block', page: '/live?only=block' }]);
  if (data.carried > 0) acts.push([{ strong: `carried ${plural(data.carried, 'fix', 'fixes')}`, tone: 'told', page: '/told?carry=1' }, { text: ' from one session to another' }]);
  if (data.open > 0) acts.push([{ strong: plural(data.open, 'failure'), tone: 'fail', page: '/walls?open=1' }, { text: data.open === 1 ? ' is still open' : ' are still open' }]);
  if (acts.length === 0) return [...parts, { text: data.failures > 0 ? 'No failure is open, nothing had to be stopped.' : 'Nothing failed, nothing had to be stopped.' }];
  const byNudge = (data.blocked > 0 ? 1 : 0) + (data.carried > 0 ? 1 : 0);
  if (byNudge > 0) parts.push({ text: 'nudge ' });
  acts.forEach((act, index) => {
    if (index > 0) parts.push({ text: joint(index, acts.length) });
    parts.push(...act);
  });
  parts.push({ text: '.' });
  return parts;
}

function joint(index, all) {
  if (index === all - 1) return all > 2 ? ', and ' : ' and ';
  return ', ';
}

function emptySentence(range, projectName) {
  const where = projectName ? [{ text: ' in ' }, { strong: projectName }] : [];
  return [{ text: 'No agent ran' }, ...where, { text: ` ${rangeWords(range)}.` }];
}

export function nothingSentence(projectName) {
  const where = projectName ? [{ text: ' in ' }, { strong: projectName }] : [];
  return [{ text: 'Nothing has been recorded' }, ...where, { text: ' yet. It starts with the next session of an agent.' }];
}

export function rangeWords(range) {
  const words = { '1h': 'in the last hour', today: 'today', '7d': 'in the last 7 days', '30d': 'in the last 30 days', all: 'in all' };
  if (Object.hasOwn(words, range)) return words[range];
  const found = /^(\d+)-(\d+)$/.exec(range);
  if (!found) return 'today';
  const [from, to] = [Number(found[1]), Number(found[2])];
  if (to - from > 36 * 3600000) return `from ${dayMonth(from)} to ${dayMonth(to)}`;
  return `from ${when(from)} to ${when(to)}`;
}

// The range behind something that counts in it; all time needs no words.
export const rangeTail = (range, before) => (range === 'all' ? '' : `${before ?? ' '}${rangeWords(range)}`);

// The range as the head of a column.
export function rangeHead(range) {
  const heads = { '1h': 'Last hour', today: 'Today', '7d': '7 days', '30d': '30 days', all: 'All time' };
  return Object.hasOwn(heads, range) ? heads[range] : 'Chosen days';
}

// A sub-agent has the name of its role, or else only an id.
export const subName = (title) => (/^[0-9a-f-]{6,}$/i.test(title) ? `sub-agent ${title}` : `${title}, sub-agent`);

export function rangeTitle(from, to, live) {
  const end = live ? 'now' : clock(to);
  if (to - from <= 36 * 3600000) return `${longDay(from)}, ${clock(from)} to ${end}`;
  return `${dayMonth(from)} to ${live ? 'now' : dayMonth(to)}`;
}

// How a session lasted: "10:20 to now, 2 h 04 m".
export function sessionTime(lane) {
  const end = lane.live ? 'now' : when(lane.to_ms);
  return `${when(lane.from_ms)} to ${end}, ${span((lane.live ? now() : lane.to_ms) - lane.from_ms)}`;
}

export const length = (lane) => span((lane.live ? now() : lane.to_ms) - lane.from_ms);

export function openWords(open) {
  return `still open, ${plural(open.tries, 'try', 'tries')}`;
}

// What a mark's button says: kind, when, and what became of it.
export function markName(kind, atMs, ended) {
  const parts = [kind, clock(atMs)];
  if (ended) parts.push(ended);
  return parts.join(', ');
}

export function carryWords(carry, fixLane) {
  const from = fixLane ? agent(fixLane.agent).name : 'another session';
  return `Told: fix from ${from}`;
}

const MOMENTS = { SessionStart: 'at session start', UserPromptSubmit: 'with a prompt', PreToolUse: 'before a call', PostToolUse: 'after a call', PostToolUseFailure: 'after a failure', SubagentStart: 'to a sub-agent', Stop: 'at the end of a turn', SubagentStop: 'at the end of a sub-agent', PreCompact: 'before a compaction' };

// When something was told, in words; what we do not know keeps its name.
export const momentWords = (hook) => (Object.hasOwn(MOMENTS, hook) ? MOMENTS[hook] : hook || '');

const HOOKS = { SessionStart: 'session start', SessionEnd: 'session end', UserPromptSubmit: 'a prompt', Stop: 'end of a turn', SubagentStart: 'sub-agent starts', SubagentStop: 'sub-agent ends', PreCompact: 'compaction', PostCompact: 'compaction', Notification: 'a notice' };

// A call of nudge that is about nothing in particular.
export const hookWords = (hook) => (Object.hasOwn(HOOKS, hook) ? HOOKS[hook] : hook || '');

export const PARTS = ['past', 'plan', 'tasks', 'hints', 'knowledge', 'rules'];

// Kinds of rows that were told, where no reason is kept with them.
const TOLD_KINDS = { command_error: 'a failure', command: 'a command', file_edit: 'an edit', file_write: 'a new file', file_read: 'a file that was read', search: 'a search', user_prompt: 'a prompt', outcome: 'what came of a prompt', summary: 'a summary', mcp_call: 'a call of a tool' };

export const toldKind = (kind) => (Object.hasOwn(TOLD_KINDS, kind) ? TOLD_KINDS[kind] : '');

export function fixedAfter(item) {
  const parts = [];
  if (item.fixed_edits > 0) parts.push(plural(item.fixed_edits, 'edit'));
  if (item.fixed_after_ms > 0) parts.push(span(item.fixed_after_ms));
  return parts.length > 0 ? `fixed after ${parts.join(', ')}` : 'fixed';
}


// What a replay found, in one sentence.
export function replayWords(replay) {
  if (replay.note) return replay.note;
  const wrong = (replay.cases || []).filter((one) => one.wrong).length;
  const times = plural((replay.cases || []).length, 'time');
  return `Replayed on ${plural(replay.days, 'day')}: would have fired ${times}${wrong > 0 ? `, ${count(wrong)} of them wrongly` : ', never wrongly'}.`;
}

// A share is shown only from five cases on; below that, both numbers.
export function share(part, of) {
  if (!of) return '—';
  if (of < 5) return `${count(part)} of ${count(of)}`;
  return `${Math.round((100 * part) / of)} %`;
}

// How long ago, short: 26 m, 3 h, 8 d.
export function ago(ms) {
  if (!ms) return 'never';
  const minutes = Math.max(0, (now() - ms) / 60000);
  if (minutes < 60) return `${Math.max(1, Math.round(minutes))} m`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 1440)} d`;
}

export function bytes(n) {
  if (n < 1024) return `${count(n)} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(n < 10240 ? 1 : 0)} KiB`;
  return `${(n / 1048576).toFixed(1)} MiB`;
}
