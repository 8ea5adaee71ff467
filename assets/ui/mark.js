// What is said about a mark: its name, what it is about, what became of it, and where that has room.
import { h, signal } from './view.js';
import { glyph } from './glyph.js';
import { said } from './part.js';
import { segment } from './door.js';
import { use } from './state.js';
import { KINDS, agent } from './words.js';
import { span } from './time.js';

const REST_MS = 120;

export const markKey = (mark) => `${mark.lane.id}/${mark.kind}/${mark.id}/${mark.at}`;

// What became of a failure, from the arcs.
export function ended(mark, out) {
  if (mark.kind !== 'failed') return '';
  const arc = (out.scene.arcs || []).find(([failed]) => failed === mark.id);
  const fix = arc && out.byId.get(`${mark.lane.id}/fixed/${arc[1]}`);
  if (fix) return `fixed after ${span(fix.at - mark.at)}`;
  return mark.lane.open_failure?.id === mark.id ? 'still open' : '';
}

const POPOVER_HEIGHT = 104;

// Where the fewest marks would be hidden, near the mark before far from it.
export function freePlace(mark, out, wide) {
  const { width: all } = out.scene;
  const least = out.scene.narrow || out.scene.single ? 8 : out.scene.left - 8;
  const lefts = [mark.x + 32, mark.x + 120, mark.x - wide - 32, mark.x - wide - 120].map((left) => Math.max(least, Math.min(all - wide - 8, left)));
  const tops = [mark.y + 22, mark.y - POPOVER_HEIGHT - 26, mark.y + 60, mark.y - POPOVER_HEIGHT - 60].map((top) => Math.max(0, Math.min(Math.max(0, out.height - POPOVER_HEIGHT), top)));
  let best = null;
  for (const top of tops) {
    for (const left of lefts) {
      const hides = (one) => one.x > left - 8 && one.x < left + wide + 8 && one.y > top - 8 && one.y < top + POPOVER_HEIGHT + 8;
      const n = out.marks.filter(hides).length + (hides(mark) ? 1000 : 0);
      if (!best || n < best.n) best = { left, top, n };
    }
  }
  return best;
}

export const carryOf = (mark, data) => (mark.kind === 'told' ? (data.carries || []).find((one) => one.told_id === mark.id && one.session === mark.lane.id) : null);

// What a mark is about is asked for once the pointer rests on it.
const resting = signal(null);
let restTimer = 0;

export function rest(mark) {
  clearTimeout(restTimer);
  restTimer = setTimeout(() => (resting.value = markKey(mark)), REST_MS);
}

function observationOf(mark, id) {
  if (resting.value !== markKey(mark) || (mark.n > 1 && !mark.same)) return null;
  const { data } = use(`observation/${segment(id)}`, {}, 'mark');
  return data && data.obs.id === id ? data : null;
}

const CODES = ['failed', 'fixed', 'blocked', 'command', 'edit', 'read'];

const becameLine = (became) => (became ? h('p', { class: 'popover-fix' }, glyph(became.startsWith('fixed') ? 'fixed' : 'failed', became.startsWith('fixed') ? 'tone-fixed' : 'tone-fail'), became) : null);

// The subject, and what a rule said or what ended it.
function subjectLine(mark, became) {
  const found = observationOf(mark, mark.id);
  if (!found) return [h('p', {}, said(mark.lane.title || 'no prompt')), becameLine(became)];
  const { obs } = found;
  const subject = obs.subject || obs.file || '';
  const steps = (found.ended_by || []).filter((one) => one.subject && one.subject !== subject);
  return [
    h('p', { class: 'popover-subject' }, CODES.includes(mark.kind) ? h('code', { dir: 'auto' }, subject) : said(subject)),
    obs.rule ? h('p', {}, 'stopped by ', said(obs.rule, 'strong tone-block')) : null,
    steps.length > 0 ? h('p', { class: 'popover-fix' }, glyph('fixed', 'tone-fixed'), h('code', { dir: 'auto' }, steps[0].subject), h('span', { class: 'num' }, became)) : becameLine(became),
  ];
}

export function aboutMark(mark, data, out) {
  const carry = carryOf(mark, data);
  if (carry) return aboutCarry(carry, mark, data);
  if (mark.kind === 'told') return h('p', {}, `nudge added to the context of ${agent(mark.lane.agent).name}.`);
  return subjectLine(mark, ended(mark, out));
}

function aboutCarry(carry, mark, data) {
  const from = data.sessions.find((lane) => lane.id === carry.fix_session);
  const fix = (from?.marks || []).find(([, kind, id]) => KINDS[kind] === 'fixed' && id === carry.fix_id);
  const source = from ? agent(from.agent).name : 'another session';
  const before = fix ? ` ${span(mark.at - from.from_ms - fix[0])} earlier` : '';
  const found = observationOf(mark, carry.fix_id);
  const step = found && [...(found.before || [])].reverse().find((one) => one.kind === 'command' || one.kind === 'edit');
  const known = found ? h('p', { class: 'popover-fix' }, glyph('failed', 'tone-fail'), h('code', { dir: 'auto' }, found.obs.subject), step ? ['then', glyph('fixed', 'tone-fixed'), h('code', { dir: 'auto' }, step.subject || step.file)] : null, carry.helped ? h('span', { class: 'num' }, 'it helped') : null) : null;
  return [h('p', {}, `${agent(mark.lane.agent).name} hit what ${source} had solved${before}.`), known];
}

