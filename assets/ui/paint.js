// Lanes: one painter that puts marks at their places, and two brushes (canvas, SVG) that draw the same paths.
import { h } from './view.js';
import { KINDS, LOUD, agent, openWords } from './words.js';
import { MINUTE, clock, ticks } from './time.js';

const ROW = 46;
const THIN_ROW = 32;
const NARROW_ROW = 88;
// On paper a row is its title, and of many sessions the sub-agents are left out, so that a week fits.
const PAPER_ROW = 30;
const PAPER_SUBS = 12;
export const AXIS = 30;
const DETAIL_PX = 2;
const CLUSTER_PX = 0.2;
const TOUCH = 11;
// From here on every mark is drawn; below, those of one kind that would cover each other are one.
const EVERY_PX = 6;
const COVER = 7;

const isLoud = (kind) => LOUD.includes(kind);

const hasLoud = (lane) => (lane.marks || []).some(([, number]) => isLoud(KINDS[number]));

// Sessions in the order of their rows, each followed by its sub-agents.
function rowsOf(lanes, options) {
  const byParent = new Map();
  const known = new Set(lanes.map((lane) => lane.id));
  for (const lane of lanes) {
    if (!lane.parent || !known.has(lane.parent)) continue;
    byParent.set(lane.parent, [...(byParent.get(lane.parent) || []), lane]);
  }
  const order = options.newestFirst ? (a, b) => b.from_ms - a.from_ms : (a, b) => a.from_ms - b.from_ms;
  const out = [];
  for (const lane of lanes.filter((one) => !one.parent || !known.has(one.parent)).sort(order)) {
    out.push({ lane, thin: false });
    if (options.folded || (options.paper && lanes.length > PAPER_SUBS)) continue;
    const subs = (byParent.get(lane.id) || []).filter((sub) => !options.coarse || hasLoud(sub));
    for (const sub of subs.sort((a, b) => a.from_ms - b.from_ms)) out.push({ lane: sub, thin: true });
  }
  return out;
}

// Places rows and marks. `scene`: {lanes, arcs, carries, from, to, now, width, left, right, narrow, folded, hidden, only, notes}.
export function layout(scene) {
  const inner = Math.max(10, scene.width - scene.left - scene.right);
  const x = (ms) => scene.left + ((ms - scene.from) / Math.max(1, scene.to - scene.from)) * inner;
  const perMinute = inner / Math.max(1, (scene.to - scene.from) / MINUTE);
  let top = scene.top || 0;
  // From far away, a sub-agent to which nothing happened would be a row with a dot.
  const rows = rowsOf(scene.lanes, { ...scene, coarse: scene.paper || perMinute < CLUSTER_PX }).map((row) => {
    const note = scene.narrow && scene.notes?.get(row.lane.id);
    const tall = scene.narrow && !scene.single;
    const usual = scene.paper ? PAPER_ROW : ROW;
    const height = tall ? NARROW_ROW + (note ? 22 : 0) : row.thin ? Math.min(THIN_ROW, usual) : usual;
    const placed = { ...row, top, height, note, y: top + (tall ? 62 : row.thin ? 17 : scene.paper ? 19 : 29) };
    top += height;
    return placed;
  });
  const out = { scene, rows, x, inner, perMinute, height: top + (scene.axis === false ? 8 : AXIS), bottom: top, marks: [], byId: new Map() };
  for (const row of rows) placeMarks(out, row);
  return out;
}

function placeMarks(out, row) {
  const { scene, x, perMinute } = out;
  const placed = [];
  for (const [offset, number, id, flags] of row.lane.marks || []) {
    const kind = KINDS[number] || 'read';
    const at = row.lane.from_ms + offset;
    const mark = { x: x(at), y: row.y, kind, id, at, flags: flags || 0, lane: row.lane, n: 1 };
    out.byId.set(`${row.lane.id}/${kind}/${id}`, mark);
    if (scene.hidden?.has(kind) || (scene.only && kind !== 'failed' && kind !== 'blocked')) continue;
    if (at < scene.from || at > scene.to) continue;
    placed.push(mark);
  }
  const flags = placed.filter((mark) => mark.kind === 'prompt');
  for (const mark of placed) {
    if (mark.kind !== 'told' || perMinute < CLUSTER_PX) continue;
    const near = flags.find((flag) => Math.abs(flag.x - mark.x) < 10);
    if (near) mark.x = near.x + 12;
  }
  const loud = placed.filter((mark) => isLoud(mark.kind));
  row.quiet = placed.filter((mark) => !isLoud(mark.kind));
  // A narrow lane has ticks instead of squares and bars, which take less room.
  row.dense = perMinute < (scene.narrow ? DETAIL_PX / 4 : DETAIL_PX);
  row.loud = perMinute < CLUSTER_PX ? cluster(loud) : perMinute < EVERY_PX ? joinSame(loud) : loud;
  out.marks.push(...row.loud, ...(row.dense ? [] : row.quiet));
}

const WEIGHT = { blocked: 5, failed: 4, fixed: 3, told: 2, commit: 1, prompt: 0 };

// Marks that would touch become one with a number; the loudest kind is shown.
function cluster(marks) {
  const out = [];
  for (const mark of marks) {
    const last = out.at(-1);
    if (!last || mark.x - last.x > TOUCH) {
      out.push({ ...mark, all: [mark] });
      continue;
    }
    last.n += 1;
    last.all.push(mark);
    if (WEIGHT[mark.kind] > WEIGHT[last.kind]) Object.assign(last, { kind: mark.kind, id: mark.id, at: mark.at });
  }
  return out;
}

// Marks of one kind that would cover each other become one, at the place of the first.
function joinSame(marks) {
  const last = new Map();
  const out = [];
  for (const mark of marks) {
    const before = last.get(mark.kind);
    if (before && mark.x - before.x < COVER) {
      before.n += 1;
      continue;
    }
    const one = { ...mark, same: true };
    last.set(mark.kind, one);
    out.push(one);
  }
  return out;
}

const f = (n) => Math.round(n * 10) / 10;

// The path of one mark, so that all marks of a kind are one path.
const SHAPE = {
  read: (x, y) => `M${f(x - 1.5)} ${y}a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0`,
  edit: (x, y) => `M${f(x - 3)} ${y - 3}h6v6h-6z`,
  command: (x, y) => `M${f(x)} ${y - 4.5}v9`,
  tick: (x, y) => `M${f(x)} ${y - 3}v6`,
  hair: (x, y) => `M${f(x)} ${y - 13}v22`,
  prompt: (x, y) => `M${f(x)} ${y - 13}h7.5l-1.9 2.7 1.9 2.8h-7.5z`,
  failed: (x, y) => `M${f(x - 4)} ${y - 4}l8 8m0-8l-8 8`,
  fixed: (x, y) => `M${f(x - 5)} ${y + 0.4}l3.2 3.4 6.4-7.8`,
  blocked: (x, y) => `M${f(x - 2.9)} ${y - 6.9}h5.8l4 4v5.8l-4 4h-5.8l-4-4v-5.8z`,
  bar: (x, y) => `M${f(x - 3.2)} ${y}h6.4`,
  told: (x, y) => `M${f(x - 4.8)} ${y - 15}h9.6l-4.8 8z`,
  stem: (x, y) => `M${f(x)} ${y - 8}v8`,
  commit: (x, y) => `M${f(x)} ${y - 5}l5 5l-5 5l-5-5z`,
};

const paths = (marks, shape) => marks.map((mark) => SHAPE[shape](mark.x, mark.y)).join('');

// Draws the times below the lanes alone, for a canvas that stays in sight while the lanes scroll.
export function drawAxis(out, brush) {
  const below = { ...out, bottom: 0 };
  drawTicks(below, brush);
  if (showsNow(out)) drawClock(below, brush);
}

// Draws a layout with a brush: path(d, look) and text(x, y, words, look).
export function draw(out, brush) {
  drawGrid(out, brush);
  for (const row of out.rows) drawLine(out, row, brush);
  drawQuiet(out, brush);
  drawCurves(out, brush);
  drawLoud(out, brush);
  drawNow(out, brush);
}

function drawGrid(out, brush) {
  const { scene, rows, x, bottom } = out;
  const list = ticks(scene.from, scene.to, out.inner, scene.narrow ? 66 : 92);
  if (scene.narrow && !scene.single) {
    brush.path(rows.map((row) => list.map((tick) => `M${f(x(tick.at))} ${row.y - 22}v46`).join('')).join(''), { stroke: 'line-1', width: 1 });
  } else {
    brush.path(list.map((tick) => `M${f(x(tick.at))} ${scene.top || 0}V${bottom}`).join(''), { stroke: 'line-1', width: 1 });
  }
  const between = rows.slice(1).filter((row) => !row.thin);
  if (!scene.single) brush.path(between.map((row) => `M${scene.narrow ? -99 : 0} ${row.top}H${scene.width + 99}`).join(''), { stroke: 'line-1', width: 1 });
  if (scene.axis !== false) drawTicks(out, brush);
}

function drawTicks(out, brush) {
  const { scene, x, bottom } = out;
  const list = ticks(scene.from, scene.to, out.inner, scene.narrow ? 66 : 92);
  const nowX = x(scene.now);
  for (const tick of list) {
    const at = x(tick.at);
    if (scene.toNow && Math.abs(at - nowX) < 42) continue;
    if (at > scene.width - 18) continue;
    brush.text(Math.max(at, 16), bottom + 20, tick.text, { fill: 'fg-3', anchor: 'middle' });
  }
}

function drawLine(out, row, brush) {
  const { scene, x } = out;
  const clamp = (at) => Math.min(scene.width, Math.max(scene.narrow ? 0 : scene.left - 14, at));
  const from = clamp(x(row.lane.from_ms));
  const to = clamp(x(row.lane.live ? scene.now : row.lane.to_ms));
  brush.path(`M${f(from)} ${row.y}H${f(Math.max(to, from + 2))}`, { stroke: `a-${agent(row.lane.agent).hue}`, width: 1.6, alpha: 0.62 });
  const open = row.lane.open_failure;
  if (!open) return;
  const since = clamp(x(open.since_ms));
  brush.path(`M${f(Math.max(since, from))} ${row.y}H${f(to)}`, { stroke: 'fail', width: 1.6 });
  const end = x(scene.now);
  if (end - to < 8) return;
  brush.path(`M${f(to)} ${row.y}H${f(Math.min(end, scene.width))}`, { stroke: 'fail', width: 1.2, dash: [3, 4], alpha: 0.85 });
  if (!scene.narrow && end - to > 130) brush.text(f(end - (end - to > 200 ? 68 : 6)), row.y - 7, openWords(open), { fill: 'fail', anchor: 'end' });
}

function drawQuiet(out, brush) {
  const pick = (kind) => out.rows.filter((row) => !row.dense).flatMap((row) => (row.quiet || []).filter((mark) => mark.kind === kind));
  if (out.scene.narrow) {
    brush.path(paths([...pick('edit'), ...pick('command')], 'tick'), { stroke: 'mark', width: 1.6 });
  } else {
    brush.path(paths(pick('read'), 'read'), { fill: 'quiet' });
    brush.path(paths(pick('command'), 'command'), { stroke: 'mark', width: 2 });
    brush.path(paths(pick('edit'), 'edit'), { fill: 'mark' });
  }
  const line = (row) => row.quiet.map((mark) => `M${f(mark.x)} ${row.y}h1.5`).join('');
  brush.path(out.rows.filter((row) => row.dense).map(line).join(''), { stroke: 'quiet', width: 2, cap: 'butt' });
}

function drawCurves(out, brush) {
  const arcs = out.curves || (out.curves = curvesOf(out));
  brush.path(arcs.carries.map((one) => one.d).join(''), { stroke: 'told', width: 1.4, dash: [1.5, 3.5] });
  brush.path(arcs.arcs.join(''), { stroke: 'fixed', width: 1.6 });
}

// Where arcs (a failure and what ended it) and carries (a fix told elsewhere) run.
function curvesOf(out) {
  const { scene } = out;
  const arcs = [];
  const find = (kind, id, session) => (session ? out.byId.get(`${session}/${kind}/${id}`) : out.rows.map((row) => out.byId.get(`${row.lane.id}/${kind}/${id}`)).find(Boolean));
  for (const [failed, fixed] of scene.arcs || []) {
    const a = find('failed', failed);
    const b = find('fixed', fixed);
    if (!a || !b || a.y !== b.y || scene.hidden?.has('fixed') || scene.only || out.perMinute < CLUSTER_PX) continue;
    if (b.x < scene.left - 20 || a.x > scene.width) continue;
    const rise = Math.min(14, 8 + (b.x - a.x) / 8);
    arcs.push(`M${f(a.x)} ${a.y - 6}C${f(a.x)} ${f(a.y - 6 - rise)} ${f(b.x)} ${f(b.y - 6 - rise)} ${f(b.x)} ${b.y - 6}`);
  }
  const carries = [];
  for (const carry of scene.narrow || scene.only || scene.hidden?.has('told') ? [] : scene.carries || []) {
    const a = find('fixed', carry.fix_id, carry.fix_session);
    const b = find('told', carry.told_id, carry.session);
    if (!a || !b || a.y === b.y) continue;
    const down = b.y > a.y ? 1 : -1;
    const dx = b.x - a.x;
    const end = b.y - 15;
    carries.push({ carry, d: `M${f(a.x)} ${a.y + 6 * down}C${f(a.x + Math.min(24, dx * 0.1))} ${f(end - 4 * down)} ${f(b.x - dx * 0.45)} ${f(end - 8)} ${f(b.x)} ${end}` });
  }
  return { arcs, carries };
}

function drawLoud(out, brush) {
  const pick = (kind) => out.rows.flatMap((row) => row.loud.filter((mark) => mark.kind === kind));
  const prompts = pick('prompt');
  brush.path(paths(prompts, 'hair'), { stroke: 'fg-1', width: 1.1 });
  brush.path(paths(prompts, 'prompt'), { fill: 'fg-1' });
  const commits = pick('commit');
  brush.path(paths(commits, 'commit'), { fill: 'fg-1', stroke: 'bg-1', width: 3, under: true });
  const told = pick('told');
  brush.path(paths(told, 'stem'), { stroke: 'told', width: 1.4 });
  brush.path(paths(told, 'told'), { fill: 'told' });
  for (const [kind, colour] of [['fixed', 'fixed'], ['failed', 'fail']]) {
    const d = paths(pick(kind), kind);
    brush.path(d, { stroke: 'bg-1', width: 6 });
    brush.path(d, { stroke: colour, width: 2 });
  }
  const blocked = pick('blocked');
  brush.path(paths(blocked, 'blocked'), { fill: 'block-fill', stroke: 'block-edge', width: 1 });
  brush.path(paths(blocked, 'bar'), { stroke: 'on-block', width: 2 });
  for (const mark of out.marks) if (mark.n > 1 && !mark.same) brush.text(mark.x + 8, mark.y - 7, String(mark.n), { fill: 'fg-2', anchor: 'start', size: 10 });
}

function showsNow({ scene, x }) {
  const at = x(scene.now);
  return at >= scene.left && at <= scene.width - 2 && scene.toNow;
}

function drawNow(out, brush) {
  const { scene, x, bottom, rows } = out;
  const at = x(scene.now);
  if (!showsNow(out)) return;
  if (scene.narrow && !scene.single) brush.path(rows.map((row) => `M${f(at)} ${row.y - 26}v52`).join(''), { stroke: 'fg-3', width: 1, dash: [2, 3] });
  else brush.path(`M${f(at)} ${(scene.top || 0) - 2}V${bottom}`, { stroke: 'fg-3', width: 1, dash: [2, 3] });
  const live = rows.filter((row) => row.lane.live);
  const dot = (r) => live.map((row) => `M${f(at - r)} ${row.y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0`).join('');
  brush.path(dot(6.5), { stroke: 'fixed', width: 1.4, fill: 'bg-1', alpha: 0.75 });
  brush.path(dot(3.6), { fill: 'fixed' });
  if (scene.axis !== false) drawClock(out, brush);
}

function drawClock(out, brush) {
  const { scene, x, bottom } = out;
  brush.text(x(scene.now), bottom + 20, clock(scene.now), { fill: 'fg-1', anchor: 'middle', weight: 600 });
}

const cap = (look) => look.cap || 'round';

// The brush for the screen. Colours are read from the style once a drawing.
export function canvasBrush(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.round(width * ratio);
  const tall = Math.round(height * ratio);
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== tall) canvas.height = tall;
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  const font = style.fontFamily;
  const colours = new Map();
  const colour = (name) => {
    if (!colours.has(name)) colours.set(name, style.getPropertyValue(`--${name}`).trim() || 'gray');
    return colours.get(name);
  };
  return {
    path(d, look) {
      if (!d) return;
      const path = new Path2D(d);
      context.globalAlpha = look.alpha ?? 1;
      context.lineCap = cap(look);
      context.lineJoin = 'round';
      context.setLineDash(look.dash || []);
      context.lineWidth = look.width || 1;
      if (look.stroke) context.strokeStyle = colour(look.stroke);
      if (look.fill) context.fillStyle = colour(look.fill);
      if (look.under) context.stroke(path);
      if (look.fill) context.fill(path);
      if (look.stroke && !look.under) context.stroke(path);
      context.globalAlpha = 1;
    },
    text(x, y, words, look) {
      context.font = `${look.weight || 400} ${look.size || 11}px ${font}`;
      context.textAlign = look.anchor === 'middle' ? 'center' : look.anchor;
      context.fillStyle = colour(look.fill);
      context.fillText(words, x, y);
    },
  };
}

// The brush for paper: the same paths as elements.
function svgBrush() {
  const kids = [];
  const paint = (name) => (name ? `var(--${name})` : 'none');
  return {
    kids,
    path(d, look) {
      if (!d) return;
      const style = { stroke: paint(look.stroke), fill: paint(look.fill), 'stroke-width': String(look.width || 1), 'stroke-linecap': cap(look), opacity: String(look.alpha ?? 1) };
      if (look.dash) style['stroke-dasharray'] = look.dash.join(' ');
      if (look.under) style['paint-order'] = 'stroke';
      kids.push(h('path', { d, style }));
    },
    text(x, y, words, look) {
      kids.push(h('text', { x, y, 'text-anchor': look.anchor || 'start', style: { fill: paint(look.fill), 'font-size': `${look.size || 11}px`, 'font-weight': String(look.weight || 400) } }, words));
    },
  };
}

// The lanes as a picture of elements, for print.
export function lanesPicture(scene) {
  const out = layout(scene);
  const brush = svgBrush();
  draw(out, brush);
  return { out, node: h('svg', { class: 'lanes-svg', viewBox: `0 0 ${scene.width} ${out.height}`, role: 'img', 'aria-label': 'Sessions as lanes over time' }, brush.kids) };
}
