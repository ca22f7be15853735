// The Web Worker that measures: a message with a text is a line of the protocol, either way. A message {path, bytes} before
// the first line puts a file where the worker looks for it; the page's own data sets lie there, and are fetched when a rung
// opens them.
'use strict';

// A function with one instruction on 128 bits.
const kSimd = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);
if (!WebAssembly.validate(kSimd))
  throw new Error('this browser lacks WebAssembly SIMD: a newer one measures; lessons and recordings are here');

const waiting = [];
let is_ready = false;

function take(message) {
  if (typeof message !== 'string') {
    Module.FS.mkdirTree(message.path.replace(/\/[^/]*$/, ''));
    Module.FS.writeFile(message.path, message.bytes);
    return;
  }
  const bytes = Module.stringToNewUTF8(message);
  Module._ridge_take_line(bytes);
  Module._free(bytes);
}

// ---- the data sets: each in a file of its own, megabytes that most visits do without ----

const kDataSets = '/usr/share/datasets';
const kNotRead = 29;  // emscripten's EIO

/// The bytes at an address of the page; a Web Worker may wait for them.
function fetched(address) {
  const request = new XMLHttpRequest();
  request.open('GET', address, false);
  request.responseType = 'arraybuffer';
  try {
    request.send();
  } catch (error) {
    throw new Module.FS.ErrnoError(kNotRead);
  }
  if (request.status !== 200) throw new Module.FS.ErrnoError(kNotRead);
  return new Uint8Array(request.response);
}

/// A file at `path` that has its bytes from when it is first opened.
function offer(path, address) {
  Module.FS.mkdirTree(path.replace(/\/[^/]*$/, ''));
  Module.FS.writeFile(path, '');
  const node = Module.FS.lookupPath(path).node, plain = node.stream_ops;
  node.stream_ops = Object.assign({}, plain, {open: stream => {
    node.contents = fetched(address);
    node.usedBytes = node.contents.length;
    node.stream_ops = stream.stream_ops = plain;
  }});
}

/// What the page has; without its list, what a rung makes up serves.
async function offerDataSets() {
  try {
    const answer = await fetch('data/list.json');
    const files = answer.ok ? await answer.json() : [];
    files.forEach(file => offer(`${kDataSets}/${file}`, `data/${file}`));
  } catch (error) {
    console.error(`data/list.json: ${error.message}`);
  }
}

// ---- lines ----

function begin() {
  is_ready = true;
  waiting.forEach(take);
}

/// What a promise throws does not reach the page, what a timer throws does.
function tell(error) {
  setTimeout(() => { throw error; }, 0);
}

self.onunhandledrejection = event => tell(event.reason);
self.onmessage = event => { is_ready ? take(event.data) : waiting.push(event.data); };

// The page learns by this lock that the browser has ended this Web Worker (page.js).
if (navigator.locks) {
  const lock = `ridgepoint ${performance.timeOrigin} ${Math.random()}`;
  navigator.locks.request(lock, () => {
    self.postMessage({lock});
    return new Promise(() => {});
  });
}

var Module = {
  mainScriptUrlOrBlob: 'ridgepoint-worker.js',  // what a thread loads: not this file
  print: line => self.postMessage(line),
  printErr: line => console.error(line),
  onEnded: code => code ? tell(new Error('the worker is lost')) : self.close(),
  onAbort: what => { throw new Error('the worker ended: ' + what); },
  // main() says hello first.
  onRuntimeInitialized: () => offerDataSets().then(() => setTimeout(begin, 0)),
};
importScripts('ridgepoint-worker.js');
