// The flight recorder: sessions as lanes, what has the focus in them, and what is said about a mark.
import { h, signal, untracked } from './view.js';
import { AXIS, canvasBrush, draw, drawAxis, lanesPicture, layout } from './paint.js';
import { glyph } from './glyph.js';
import { said, shortId, tile, timeText } from './part.js';
import { KINDS, LOUD, agent, carryWords, length, markName, plural, subName } from './words.js';
import { HOUR, MINUTE, beat, clock, now, span } from './time.js';
import { mode, segment } from './door.js';
import { aboutMark, carryOf, ended, freePlace, markKey, rest } from './mark.js';
import { go, link, range, times } from './state.js';
import { colours, isNarrow, isWide, printing, width } from './screen.js';

const PAPER_WIDTH = 980;
const MAX_BUTTONS = 60;

export const hiddenKinds = signal(new Set());
export const onlyLoud = signal(false);
export const foldedSubs = signal(false);
export const asTable = signal(false);
// A closer look inside the range; null shows the range.
export const zoom = signal(null);
// The mark under the pointer or with the focus: {mark, x, y, by}.
const chosen = signal(null);
const roving = signal(null);
const boxWidth = signal(0);

export function toggleKind(kind) {
  const next = new Set(hiddenKinds.peek());
  if (!next.delete(kind)) next.add(kind);
  hiddenKinds.value = next;
}

// What the lanes show: the range, cut to where there is something to see.
export function laneWindow(lanes) {
  beat.value;
  if (zoom.value) return { ...zoom.value, toNow: zoom.value.to >= now() - MINUTE };
  const { from_ms: from, to_ms: to } = times();
  const end = to ?? now();
  const first = Math.min(end - HOUR, ...lanes.map((lane) => lane.from_ms));
  const name = range();
  // Days that somebody chose stay as they are; other ranges begin with the first session that is there.
  const isChosen = /^\d+-/.test(name) && mode.value === 'live';
  const wanted = isChosen ? from : Math.max(from ?? first, Math.floor(first / (30 * MINUTE)) * 30 * MINUTE);
  return { from: wanted, to: end, toNow: end >= now() - MINUTE };
}

// Moves the window of the lanes by a part of its width.
export function shiftWindow(part, lanes) {
  const at = untracked(() => laneWindow(lanes));
  const by = (at.to - at.from) * part;
  zoom.value = { from: at.from + by, to: at.to + by };
}

function sceneOf(data, options) {
  const at = options.window || laneWindow(data.sessions);
  const narrow = isNarrow() && !printing.value;
  const paper = printing.value ? PAPER_WIDTH : boxWidth.value;
  const labels = options.single ? 26 : isWide() || printing.value ? 300 : 196;
  return {
    lanes: data.sessions,
    arcs: data.arcs,
    carries: data.carries,
    from: at.from,
    to: at.to,
    toNow: at.toNow,
    now: now(),
    width: paper,
    left: narrow ? 14 : labels,
    right: narrow ? 24 : 46,
    top: options.single ? 12 : 4,
    narrow,
    newestFirst: narrow,
    single: options.single,
    paper: printing.value && !options.single,
    folded: foldedSubs.value && !options.single,
    hidden: hiddenKinds.value,
    only: onlyLoud.value,
    notes: narrow && !options.single ? notesOf(data) : null,
  };
}

// In a narrow window a carry and an open failure are words under the lane.
function notesOf(data) {
  const notes = new Map();
  for (const lane of data.sessions) if (lane.open_failure) notes.set(lane.id, { tone: 'fail', mark: 'failed', text: `Still open after ${plural(lane.open_failure.tries, 'try', 'tries')}` });
  for (const carry of data.carries || []) {
    const from = data.sessions.find((lane) => lane.id === carry.fix_session);
    notes.set(carry.session, { tone: 'told', mark: 'told', text: `${carryWords(carry, from)}, ${clock(carry.at_ms)}` });
  }
  return notes;
}

let last = { key: [], out: null };

// The layout is computed once for the same data, window and size.
function layoutOf(data, options) {
  const scene = sceneOf(data, options);
  const key = [data, scene.from, scene.to, scene.width, scene.narrow, scene.folded, scene.hidden, scene.only, scene.left, Math.floor(scene.now / 10000)];
  if (last.out && key.every((one, index) => one === last.key[index])) return last.out;
  last = { key, out: layout(scene) };
  return last.out;
}

// The whole picture: canvas, labels, and the list that has the focus. `options`: {single, window, open}.
export function laneView(data, options = {}) {
  if (printing.value) return printed(data, options);
  const out = layoutOf(data, options);
  const measure = (node) => {
    const watcher = new ResizeObserver(() => {
      boxWidth.value = node.clientWidth;
    });
    boxWidth.value = node.clientWidth;
    watcher.observe(node);
    return () => watcher.disconnect();
  };
  colours.value;
  return h(
    'div',
    { class: `lanes ${out.scene.narrow ? 'lanes-narrow' : ''} ${options.single ? 'lanes-single' : ''}`, ref: measure, style: { height: `${out.height}px` }, 'data-lanes': out.rows.length },
    h('canvas', {
      class: 'lanes-canvas',
      'aria-hidden': 'true',
      style: { height: `${out.height}px` },
      after: (node) => paintCanvas(node, out),
      onpointermove: (event) => hover(event, out),
      onpointerleave: () => leave('pointer'),
      onclick: (event) => press(event, out),
      ondblclick: (event) => takeSpan(event, out),
      onwheel: (event) => wheel(event, out),
    }),
    labels(out, options),
    options.single || out.scene.narrow ? null : [h('div', { key: 'above', style: { height: `${out.bottom}px` } }), h('canvas', { key: 'axis', class: 'lanes-axis', 'aria-hidden': 'true', style: { height: `${AXIS}px` }, after: (node) => paintAxis(node, out) })],
    popover(data, out),
  );
}

let painted = { node: null, out: null, colours: -1, ratio: 0 };

function paintCanvas(node, out) {
  const ratio = window.devicePixelRatio;
  if (painted.node === node && painted.out === out && painted.colours === colours.peek() && painted.ratio === ratio) return;
  painted = { node, out, colours: colours.peek(), ratio };
  if (out.scene.width > 0) draw(out, canvasBrush(node, out.scene.width, out.height));
}

let paintedAxis = { node: null, out: null, colours: -1, ratio: 0 };

function paintAxis(node, out) {
  const ratio = window.devicePixelRatio;
  if (paintedAxis.node === node && paintedAxis.out === out && paintedAxis.colours === colours.peek() && paintedAxis.ratio === ratio) return;
  paintedAxis = { node, out, colours: colours.peek(), ratio };
  if (out.scene.width > 0) drawAxis(out, canvasBrush(node, out.scene.width, AXIS));
}

function printed(data, options) {
  const { out, node } = lanesPicture(sceneOf(data, options));
  return h('div', { class: 'lanes lanes-paper' }, node, options.single ? null : out.rows.map((row) => h('div', { class: 'lane-label', style: { top: `${(100 * row.top) / out.height}%` } }, labelText(row))));
}

function labelText(row) {
  if (row.thin) return h('span', { class: 'lane-sub' }, said(subName(row.lane.title || shortId(row.lane.id))));
  return [tile(row.lane.agent), h('span', { class: 'lane-words' }, h('span', { class: 'lane-title' }, said(row.lane.title || 'no prompt')), h('span', { class: 'lane-second' }, h('code', {}, shortId(row.lane.id)), ` · ${length(row.lane)}`))];
}

function labels(out, options) {
  const { narrow } = out.scene;
  return h(
    'ul',
    { class: 'lane-list', 'aria-label': 'Sessions', onkeydown: (event) => arrows(event, out) },
    out.rows.map((row) =>
      h(
        'li',
        { key: row.lane.id, class: `lane ${row.thin ? 'lane-thin' : ''}`, style: { top: `${row.top}px`, height: `${row.height}px` } },
        options.single ? null : h('a', { class: 'lane-label plain', href: link(`/session/${segment(row.lane.id)}`), style: { width: narrow ? 'auto' : `${out.scene.left - 18}px` } }, labelText(row)),
        narrow && !options.single ? h('span', { class: 'lane-length num' }, row.lane.live ? glyph('live', 'tone-fixed') : null, length(row.lane)) : null,
        row.note ? h('span', { class: `lane-note tone-${row.note.tone}` }, glyph(row.note.mark), row.note.text) : null,
        row.loud.slice(-MAX_BUTTONS).map((mark) => markButton(mark, row, out)),
      ),
    ),
  );
}

function markButton(mark, row, out) {
  const key = markKey(mark);
  const first = roving.value || firstKey(out);
  return h('button', {
    key,
    class: 'mark-button',
    'data-mark': key,
    tabindex: key === first ? '0' : '-1',
    'aria-label': `${markName(mark.kind, mark.at, ended(mark, out))}, ${agent(mark.lane.agent).name}${mark.n > 1 ? `, ${mark.n} ${mark.same ? 'times' : 'marks'}` : ''}`,
    style: { left: `${mark.x - 12}px`, top: `${row.y - row.top - 16}px` },
    onfocus: () => {
      roving.value = key;
      chosen.value = { mark, by: 'focus' };
      rest(mark);
    },
    onblur: () => leave('focus'),
    onclick: () => openMark(mark),
  });
}

function firstKey(out) {
  for (const row of out.rows) if (row.loud.length > 0) return markKey(row.loud[0]);
  return null;
}

function nearest(event, out) {
  let best = null;
  let distance = 14;
  for (const mark of out.marks) {
    const far = Math.hypot(mark.x - event.offsetX, (mark.y - event.offsetY) * 0.7) - (LOUD.includes(mark.kind) ? 3 : 0);
    if (far < distance) {
      distance = far;
      best = mark;
    }
  }
  return best;
}

function hover(event, out) {
  const mark = nearest(event, out);
  if ((chosen.peek()?.mark || null) === mark) return;
  if (mark) {
    chosen.value = { mark, by: 'pointer' };
    rest(mark);
  } else leave('pointer');
  event.currentTarget.style.setProperty('cursor', mark ? 'pointer' : 'default');
}

function leave(by) {
  if (chosen.peek()?.by === by) chosen.value = null;
}

export function closePopover() {
  const open = chosen.peek() !== null;
  chosen.value = null;
  return open;
}

function press(event, out) {
  const mark = nearest(event, out);
  // A first tap shows what it is; the second opens it.
  const touched = event.pointerType === 'touch' && chosen.peek()?.mark !== mark;
  if (mark && touched) chosen.value = { mark, by: 'pointer' };
  else if (mark) openMark(mark);
}

function openMark(mark) {
  const told = mark.kind === 'told';
  go(`/session/${segment(mark.lane.id)}`, told ? { t: mark.id } : { o: mark.id });
}

function takeSpan(event, out) {
  const row = out.rows.find((one) => event.offsetY >= one.top && event.offsetY < one.top + one.height);
  if (!row) return;
  const to = row.lane.live ? now() : row.lane.to_ms;
  const pad = Math.max(MINUTE, (to - row.lane.from_ms) * 0.05);
  zoom.value = { from: row.lane.from_ms - pad, to: to + pad };
}

function wheel(event, out) {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const { scene } = out;
  const share = (event.offsetX - scene.left) / out.inner;
  const factor = event.deltaY > 0 ? 1.25 : 0.8;
  const wide = Math.min(400 * 24 * HOUR, Math.max(2 * MINUTE, (scene.to - scene.from) * factor));
  const pin = scene.from + (scene.to - scene.from) * share;
  zoom.value = { from: pin - wide * share, to: pin + wide * (1 - share) };
}

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

function arrows(event, out) {
  const step = ARROWS[event.key];
  if (!step || !event.target.classList.contains('mark-button')) return;
  event.preventDefault();
  event.stopPropagation();
  const rows = out.rows.filter((row) => row.loud.length > 0);
  const at = rows.findIndex((row) => row.loud.some((mark) => markKey(mark) === roving.peek()));
  if (at < 0) return;
  const own = rows[at].loud;
  const index = own.findIndex((mark) => markKey(mark) === roving.peek());
  let next = own[index + step[0]];
  if (step[1] !== 0) {
    const other = rows[at + step[1]]?.loud || [];
    next = other.slice().sort((a, b) => Math.abs(a.x - own[index].x) - Math.abs(b.x - own[index].x))[0];
  }
  if (!next) return;
  roving.value = markKey(next);
  const list = event.currentTarget;
  const row = out.rows.findIndex((one) => one.lane === next.lane);
  const button = [...list.children[row].querySelectorAll('.mark-button')].find((one) => one.dataset.mark === markKey(next));
  button?.focus();
}

const TITLES = { read: 'Read', edit: 'Edit', command: 'Command', prompt: 'Prompt', failed: 'Failed', fixed: 'Fixed', blocked: 'Blocked', told: 'Told', commit: 'Commit' };

// What, when, how long, and why it matters; where no mark is.
function popover(data, out) {
  const open = chosen.value;
  if (!open || !out.marks.some((mark) => markKey(mark) === markKey(open.mark))) return null;
  const { mark } = open;
  const wide = Math.min(400, out.scene.width - 24);
  const { left, top } = freePlace(mark, out, wide);
  const carry = carryOf(mark, data);
  const tone = { failed: 'fail', fixed: 'fixed', blocked: 'block', told: 'told' }[mark.kind] || '';
  return [
    h('span', { key: 'ring', class: 'mark-ring', 'aria-hidden': 'true', style: { transform: `translate(${mark.x - 10}px, ${(mark.kind === 'told' ? mark.y - 12 : mark.y) - 10}px)` } }),
    h(
      'div',
      { key: 'pop', class: 'popover', role: 'status', style: { transform: `translate(${left}px, ${top}px)`, width: `${wide}px` } },
      h('p', { class: 'popover-head' }, h('strong', { class: `tone-${tone}` }, mark.n > 1 ? (mark.same ? `${TITLES[mark.kind]} ${mark.n} times` : `${mark.n} marks`) : TITLES[mark.kind], carry ? ': seen before' : ''), timeText(mark.at, 'seconds')),
      aboutMark(mark, data, out),
    ),
  ];
}

// The same as a table, for `t`.
export function laneTable(data) {
  const rows = data.sessions.flatMap((lane) => (lane.marks || []).map(([offset, kind, id]) => ({ lane, at: lane.from_ms + offset, kind: KINDS[kind], id })));
  const loud = rows.filter((row) => LOUD.includes(row.kind)).sort((a, b) => b.at - a.at).slice(0, 200);
  return h('table', { class: 'table' }, h('thead', {}, h('tr', {}, ['Time', 'Agent', 'Session', 'What'].map((text) => h('th', { scope: 'col' }, text)))), h('tbody', {}, loud.map((row) => h('tr', { key: `${row.lane.id}${row.kind}${row.id}` }, h('td', {}, timeText(row.at)), h('td', {}, tile(row.lane.agent)), h('td', {}, h('a', { class: 'plain', href: link(`/session/${segment(row.lane.id)}`, row.kind === 'told' ? { t: row.id } : { o: row.id }) }, said(row.lane.title))), h('td', {}, glyph(row.kind, `kind-${row.kind}`), ` ${row.kind}`)))));
}

export const resetLanes = () => {
  zoom.value = null;
  chosen.value = null;
  roving.value = null;
};
