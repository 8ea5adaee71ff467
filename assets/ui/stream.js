// Live: one stream for all tabs of this browser. The tab with the lock reads it and passes on what comes.
import { signal } from './view.js';
import { mode, openStream, reachable } from './door.js';

const LOCK = 'nudge-stream';
const MAX_HELD = 500;
const MAX_WAIT_MS = 30000;
const POLL_MS = 3000;
// A page that was hidden for this long stops reading; when it is looked at again, it continues where it was.
const HIDDEN_MS = 10000;
// The server says something every 15 seconds; three silences are a dead connection.
const SILENCE_MS = 45000;

// off: not followed; live: events come; waiting: the next try is planned; asking: the server has no stream left.
export const stream = signal('off');

let listener = () => {};
let channel = null;
let reader = null;
let held = [];
let cursor = '';
let nextTry = null;
let leading = false;
let hiding = 0;

// Begins to follow. `work(kind, data)` gets what happened; `resync` means that everything is to be asked again.
export function follow(work) {
  listener = work;
  if ('BroadcastChannel' in window) {
    channel = new BroadcastChannel(LOCK);
    channel.onmessage = ({ data }) => heard(data);
    channel.postMessage({ kind: 'who' });
  }
  document.addEventListener('visibilitychange', () => (document.hidden ? hide() : wake()));
  addEventListener('online', () => wake());
  wake();
}

function heard(message) {
  if (message.kind === 'who') {
    if (leading) channel.postMessage({ kind: 'state', value: stream.peek() });
  } else if (message.kind === 'state') {
    stream.value = message.value;
    if (message.value === 'live') reachable.value = true;
  } else {
    cursor = message.cursor || cursor;
    deliver(message.kind, message.data);
  }
}

function say(value) {
  stream.value = value;
  channel?.postMessage({ kind: 'state', value });
}

// A hidden page draws nothing: it keeps some events, and beyond that remembers to ask again.
function deliver(kind, data) {
  if (!document.hidden) {
    listener(kind, data);
    return;
  }
  if (held.length < MAX_HELD) held.push([kind, data]);
  else held = [['resync', {}]];
}

function hide() {
  // Without a stream there is nothing to hold the lock for; another tab may want it.
  if (stream.peek() !== 'live') stopReading();
  clearTimeout(hiding);
  hiding = setTimeout(stopReading, HIDDEN_MS);
}

function wake() {
  clearTimeout(hiding);
  if (mode.peek() !== 'live' || document.hidden) return;
  const events = held;
  held = [];
  for (const [kind, data] of events) listener(kind, data);
  if (nextTry) {
    clearTimeout(nextTry.timer);
    nextTry.run();
  } else if (!reader) {
    lead();
  }
}

function stopReading() {
  reader?.abort();
  reader = null;
}

// Waits for the lock, then reads for as long as this tab lives. Without locks every visible tab reads.
function lead() {
  reader = new AbortController();
  const own = reader;
  const work = () => readForever(own.signal);
  if (!navigator.locks) {
    work();
    return;
  }
  navigator.locks.request(LOCK, { signal: own.signal }, work).catch((error) => {
    if (error.name !== 'AbortError') stream.value = 'off';
  });
}

async function readForever(aborted) {
  leading = true;
  let wait = 1000;
  while (!aborted.aborted && mode.peek() === 'live') {
    const outcome = await readOnce(aborted);
    if (aborted.aborted || mode.peek() !== 'live') break;
    if (outcome === 'served') wait = 1000;
    if (outcome === 'full') {
      say('asking');
      listener('poll', {});
      await pause(POLL_MS);
      continue;
    }
    say('waiting');
    await pause(wait * (0.75 + Math.random() / 2));
    wait = Math.min(MAX_WAIT_MS, wait * 2);
  }
  leading = false;
  say('off');
}

function pause(ms) {
  return new Promise((resolve) => {
    const run = () => {
      nextTry = null;
      resolve();
    };
    nextTry = { timer: setTimeout(run, ms), run };
  });
}

async function readOnce(aborted) {
  const quiet = new AbortController();
  aborted.addEventListener('abort', () => quiet.abort());
  let response;
  try {
    response = await openStream(cursor, quiet.signal);
  } catch {
    if (!aborted.aborted) reachable.value = false;
    return 'failed';
  }
  reachable.value = true;
  if (response.status === 503) return 'full';
  if (!response.ok || !response.body) {
    if (response.status === 401) listener('closed', {});
    return 'failed';
  }
  say('live');
  try {
    await readEvents(response.body.getReader(), quiet);
  } catch {
    // A connection that breaks is tried again.
  }
  return 'served';
}

async function readEvents(body, quiet) {
  const decoder = new TextDecoder();
  let rest = '';
  let timer = 0;
  for (;;) {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), SILENCE_MS);
    const { done, value } = await body.read();
    if (done) break;
    const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) take(block);
  }
  clearTimeout(timer);
}

function take(block) {
  const event = { kind: 'message', data: '' };
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(':');
    const value = line.slice(at + 1).replace(/^ /, '');
    const name = line.slice(0, at);
    if (name === 'event') event.kind = value;
    else if (name === 'data') event.data += value;
    else if (name === 'id') cursor = value;
  }
  if (!event.data) return;
  let data;
  try {
    data = JSON.parse(event.data);
  } catch {
    return;
  }
  channel?.postMessage({ kind: event.kind, data, cursor });
  deliver(event.kind, data);
}
