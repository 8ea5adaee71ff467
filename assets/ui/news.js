// What the stream brings: rows, marks and word that something is old are put where they belong.
import { announceNews } from './copy.js';
import { change, project, projectName, refresh, renew, route } from './state.js';
import { closeDoor, mode } from './door.js';
import { count } from './words.js';
import { takeReplay } from './replay.js';

const MAX_ROWS_KEPT = 150;
const SUMS_MS = 3000;
// While too much happens to be told one by one, everything is asked for again this often.
const RESYNC_MS = 2000;

let sumsTimer = 0;
let resyncTimer = 0;
let resyncWaits = false;
let unsaid = { rows: 0, blocked: [] };

// Counts of the overview follow the marks, at most once in a few seconds.
function sumsLater() {
  if (sumsTimer) return;
  sumsTimer = setTimeout(() => {
    sumsTimer = 0;
    refresh(['overview', 'density', 'sessions', 'session/']);
  }, SUMS_MS);
}

export function takeEvent(kind, data, learn) {
  if (mode.peek() !== 'live') return;
  if (kind === 'hook') takeRow(data);
  else if (kind === 'marks') takeMarks(data);
  else if (kind === 'stale') takeStale(data.what || [], learn);
  else if (kind === 'replay') takeReplay(data);
  else if (kind === 'poll') refresh(['feed']);
  else if (kind === 'closed') closeDoor('');
  else if (kind === 'resync') resync(learn);
}

// The first one at once, those that follow it together.
function resync(learn) {
  if (resyncTimer) {
    resyncWaits = true;
    return;
  }
  renew();
  refresh(null);
  learn();
  resyncTimer = setTimeout(() => {
    resyncTimer = 0;
    if (!resyncWaits) return;
    resyncWaits = false;
    resync(learn);
  }, RESYNC_MS);
}

const STALE_PATHS = { rules: ['rules', 'rule/'], plan: ['plan'], hints: ['hints'], notes: ['notes', 'note/'], walls: ['walls', 'wall/'], health: [] };

function takeStale(what, learn) {
  const paths = what.flatMap((name) => (Object.hasOwn(STALE_PATHS, name) ? STALE_PATHS[name] : []));
  if (paths.length > 0) refresh(paths);
  learn();
}

// Whether something belongs to another project than the chosen one; it says its folder or its name.
function isElsewhere(names) {
  const known = names.filter(Boolean);
  return Boolean(project()) && known.length > 0 && !known.includes(project()) && !known.includes(projectName());
}

const KIND_OF = { block: ['block', 'blocked', 'ask'] };

function fits(row) {
  const { only, rule, session, agent } = route.peek().params;
  if (isElsewhere([row.project])) return false;
  if (agent && !agent.split(',').includes(row.agent)) return false;
  if (route.peek().path !== '/live') return true;
  if (only && !(KIND_OF[only] || [only]).includes(row.kind)) return false;
  return (!rule || row.rule === rule) && (!session || row.session === session);
}

// What is no longer kept is asked for with older rows, so those begin behind the last one that is.
function keptRows(old, rows) {
  if (rows.length <= MAX_ROWS_KEPT) return { ...old, rows };
  const kept = rows.slice(0, MAX_ROWS_KEPT);
  const last = kept.at(-1);
  return { ...old, rows: kept, cursor: `${String(last.at_ms).padStart(16, '0')}-${last.id}` };
}

function takeRow(row) {
  if (!fits(row)) return;
  const add = (old) => (old.rows.some((one) => one.id === row.id) ? old : keptRows(old, [row, ...old.rows]));
  change('feed', add);
  change('feed-glance', add);
  unsaid.rows += 1;
  if (KIND_OF.block.includes(row.kind)) unsaid.blocked.push(row.rule);
  announceNews(sayNews);
}

// One sentence for what came since the last one.
function sayNews() {
  const { rows, blocked } = unsaid;
  unsaid = { rows: 0, blocked: [] };
  if (rows === 0) return '';
  const rules = [...new Set(blocked.filter(Boolean))];
  return `${count(rows)} new${blocked.length > 0 ? `, ${count(blocked.length)} blocked${rules.length > 0 ? ` by ${rules.slice(0, 3).join(', ')}` : ''}` : ''}`;
}

// Marks are joined to the lane that is on the screen; a lane that is not there yet is put in.
function takeMarks(news) {
  if (isElsewhere([news.lane?.root, news.lane?.project])) return;
  change('lanes', (old) => withMarks(old, news));
  sumsLater();
}

export function withMarks(old, news) {
  const at = old.sessions.findIndex((lane) => lane.id === news.session);
  const sessions = old.sessions.slice();
  const known = at >= 0 ? sessions[at] : { marks: [] };
  const shift = (known.from_ms ?? news.lane.from_ms) - news.lane.from_ms;
  const moved = known.marks.map(([offset, ...rest]) => [offset + shift, ...rest]);
  const seen = new Set(moved.map((mark) => `${mark[1]}/${mark[2]}`));
  const added = (news.marks || []).filter((mark) => !seen.has(`${mark[1]}/${mark[2]}`));
  const lane = { ...known, ...news.lane, marks: [...moved, ...added].sort((a, b) => a[0] - b[0]) };
  if (at >= 0) sessions[at] = lane;
  else sessions.push(lane);
  const joined = (before, more, key) => [...before, ...(more || []).filter((one) => !before.some((other) => key(other) === key(one)))];
  return { ...old, sessions, arcs: joined(old.arcs || [], news.arcs, String), carries: joined(old.carries || [], news.carries, (one) => `${one.session}/${one.told_id}`) };
}
