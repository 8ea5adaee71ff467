// The door to the server: the ticket of the link, the key, and questions that carry both halves.
// In a report and in the sample the answers are in the page, by address; then nothing is asked.
import { signal } from './view.js';
import { fixClock, now, setClock, zoneShift } from './time.js';

const API = 'api/';
const KEY = 'nudge-key';
// live: a server answers; report: the answers are in this file; sample: in sample.json; closed: no way in.
export const mode = signal('live');
export const scope = signal('read');
export const scopeUntil = signal(0);
// Whether the server answered the last question.
export const reachable = signal(true);
// What the file says about itself: {from_ms, to_ms, range, project, made_ms, version, left_out}.
export const fileInfo = signal(null);

let answers = null;
let why = '';

export class AskError extends Error {
  constructor(code, message, hint) {
    super(message);
    this.code = code;
    this.hint = hint || '';
  }
}

// Storage can be switched off in a browser; the page then works until it is closed.
const memory = new Map();

function keep(name, value) {
  memory.set(name, value);
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Kept in memory only.
  }
}

function kept(name) {
  try {
    return localStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

export function preference(name, otherwise) {
  return kept(`nudge-${name}`) ?? otherwise;
}

export function setPreference(name, value) {
  keep(`nudge-${name}`, value);
}

// Takes the ticket out of the address before anything else. `#in=TICKET/walls` goes on to that page.
function takeTicket() {
  const found = /^#in=([0-9A-Za-z_-]+)(\/[^]*)?$/.exec(location.hash);
  if (!found) return null;
  history.replaceState(null, '', `#${found[2] || '/'}`);
  return found[1];
}

// Opens the door: a report by its own data, a ticket by the server, else the key of an earlier visit.
export async function enter() {
  const ticket = takeTicket();
  const inside = document.getElementById('data');
  if (inside) {
    openFile(JSON.parse(inside.textContent), 'report');
    return;
  }
  if (ticket) {
    try {
      const granted = await ask('enter', null, { body: { ticket } });
      keep(KEY, granted.key);
      scope.value = granted.scope;
      scopeUntil.value = granted.until_ms || 0;
    } catch (error) {
      // A link that was used before may be opened again beside a page that is open: the key still counts.
      if (!kept(KEY)) closeDoor(error.message);
    }
  } else if (!kept(KEY)) {
    closeDoor('');
  }
}

function openFile(file, kind) {
  if (file.info?.local) shiftToZone(file);
  answers = file.answers || {};
  fileInfo.value = file.info || {};
  fixClock(fileInfo.peek().made_ms || 0);
  mode.value = kind;
  scope.value = 'read';
}

// The sample's times are written for UTC; here they are the same times of day in the reader's zone.
function shiftToZone(value) {
  for (const name of Object.keys(value)) {
    const inner = value[name];
    if (typeof inner === 'object' && inner !== null) shiftToZone(inner);
    else if (name.endsWith('_ms') && inner > 1e12) value[name] = zoneShift(inner);
  }
}

export async function openSample() {
  const response = await fetch(`${API}sample`, { headers: headers(), cache: 'no-store' });
  if (!response.ok) throw new AskError('sample', 'the sample could not be loaded', '');
  openFile(await response.json(), 'sample');
}

export function closeSample() {
  answers = null;
  fileInfo.value = null;
  fixClock(null);
  mode.value = 'live';
}

export function closeDoor(reason) {
  why = reason;
  mode.value = 'closed';
}

export const closedReason = () => why;

function headers() {
  const key = kept(KEY);
  return key ? { 'X-Nudge-Key': key } : {};
}

// A part of an address. Half of a pair of surrogates has no address, so it becomes a sign.
export const segment = (text) => encodeURIComponent(String(text).toWellFormed());

// The address of a question: its path and its parameters, lists repeated.
export function address(path, params) {
  const query = new URLSearchParams();
  for (const name of Object.keys(params || {})) {
    const value = params[name];
    if (value === null || value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

// What is in a file has no range, project or place in a list: those are the file's own.
const FILE_PARAMETERS = ['path', 'turn', 'around', 'q'];

// What a file can answer from the rest of its answers, by path or, with a / at the end, by its beginning.
const makers = new Map();

export function answerFromFile(path, work) {
  makers.set(path, work);
}

function fromFile(path, params) {
  const own = {};
  for (const name of FILE_PARAMETERS) if (params && params[name] !== undefined) own[name] = params[name];
  for (const one of [address(path, own), path]) {
    if (Object.hasOwn(answers, one)) return structuredClone(answers[one]);
  }
  const maker = [...makers].find(([name]) => name === path || (name.endsWith('/') && path.startsWith(name)));
  const made = maker ? maker[1](answers, params, path.slice(maker[0].length)) : null;
  if (made) return made;
  throw new AskError('not_here', mode.peek() === 'report' ? 'this report does not have that page' : 'the sample does not have that page', 'in the live page, `nudge ui` shows it');
}

// Asks the server and returns the data of its answer, or throws an AskError with its sentence.
export async function ask(path, params, options = {}) {
  if (answers) return fromFile(path, params);
  const request = { headers: headers(), cache: 'no-store', credentials: 'same-origin', signal: options.signal };
  if (options.body) {
    request.method = 'POST';
    request.headers['Content-Type'] = 'application/json';
    request.body = JSON.stringify(options.body);
  }
  let response;
  try {
    response = await fetch(API + address(path, params), request);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    reachable.value = false;
    throw new AskError('gone', 'the server cannot be reached', 'the page tries again by itself');
  }
  reachable.value = true;
  return read(path, response);
}

// The stream of events, as a response whose body goes on. Only the live page has one.
export function openStream(after, abort) {
  return fetch(API + address('stream', { after }), { headers: headers(), cache: 'no-store', credentials: 'same-origin', signal: abort });
}

async function read(path, response) {
  let answer;
  try {
    answer = await response.json();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new AskError('garbled', `the server answered ${response.status} with something that is not JSON`, 'look at the version of nudge: `nudge doctor`');
  }
  if (response.status === 401 && path !== 'enter') {
    keep(KEY, null);
    closeDoor(answer?.error?.message || '');
  }
  if (!response.ok || !answer || answer.error || answer.data === undefined) {
    const error = answer?.error || {};
    throw new AskError(error.code || String(response.status), error.message || `the server answered ${response.status}`, error.hint);
  }
  if (typeof answer.now_ms === 'number') setClock(answer.now_ms);
  // The place to go on from travels with the data that it belongs to.
  if (answer.cursor && typeof answer.data === 'object' && answer.data !== null) answer.data.cursor = answer.cursor;
  return answer.data;
}

// The scope falls back by itself when its hour is over.
export function checkScope() {
  if (scope.peek() === 'edit' && scopeUntil.peek() && now() > scopeUntil.peek()) scope.value = 'read';
}
