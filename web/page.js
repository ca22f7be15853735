// What the page does for the program: it looks whether the browser can run it, loads it, and is asked by app/platform/web and
// app/session/web for what only a page can do.
'use strict';

const kHome = '/home';            // kept by the browser between visits
const kDropped = '/home/dropped';  // runs that were dropped on the page
const kLinked = '/linked/run.jsonl';  // the run that the page's address carries
const kRecorded = '/assets/recorded';

const ridgepoint = {
  pasted: '',
  notices: [],  // sentences that the window begins with
  times: {},    // seconds since the page's start, for tests/web_page.py

  say(text) { document.getElementById('said').textContent = text; },

  begun() {
    ridgepoint.say('');
    ridgepoint.times.begun = performance.now() / 1000;
  },

  /// What the window shows, in lines (app/window/shell/look.h).
  look() {
    return UTF8ToString(Module._ridge_look());
  },

  // ---- keyboard, clipboard, screen ----

  watch(canvas) {
    canvas.focus();
    canvas.addEventListener('mousedown', () => canvas.focus());
    canvas.addEventListener('contextmenu', event => event.preventDefault());
    // The program's own keys, which browsers have another use for.
    window.addEventListener('keydown', event => {
      const isOwn = ['e', 'k', 's', '+', '-', '=', '0'].includes(event.key) && (event.ctrlKey || event.metaKey);
      if (isOwn || event.key === 'F5') event.preventDefault();
    });
    // It comes after the key and before the next frame, which asks for it.
    document.addEventListener('paste', event => {
      ridgepoint.pasted = event.clipboardData.getData('text/plain');
    });
    window.addEventListener('hashchange', () => location.reload());
    document.addEventListener('visibilitychange', () => { if (document.hidden) ridgepoint.store.save(); });
    ridgepoint.touch.watch(canvas);
    ridgepoint.drop.watch();
  },

  copyText(text) {
    ridgepoint.pasted = text;
    if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => {});
  },

  copyPicture(bytes) {
    if (!navigator.clipboard || !window.ClipboardItem) return Promise.reject();
    return navigator.clipboard.write([new ClipboardItem({'image/png': new Blob([bytes], {type: 'image/png'})})]);
  },

  fullScreen(on) {
    const done = on ? document.documentElement.requestFullscreen() : document.fullscreenElement && document.exitFullscreen();
    if (done) done.catch(() => {});
  },

  download(bytes, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes]));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  },
};

// ---- gamepads: GLFW asks for them, and a browser that was asked looks for one all the time, with a percent of a core ----

Object.defineProperty(navigator, 'getGamepads', {value: undefined});
window.addEventListener = (kind, ...more) => {
  if (!kind.startsWith('gamepad')) EventTarget.prototype.addEventListener.call(window, kind, ...more);
};

// ---- the window's turns: at the browser's frames while something moves, else when something comes ----

ridgepoint.turns = {
  take: null,   // takes a turn; seconds until the next, if nothing comes; negative: that was the last
  frame: 0,     // of the browser, that the next is asked for at; 0: none
  timer: 0,     // that the next waits for; 0: none
  kFrame_s: 1 / 60,
  kHidden_s: 0.1,  // a hidden page has no frames, and goes on with its work

  begin(take) {
    ridgepoint.turns.take = take;
    for (const kind of ['mousemove', 'mousedown', 'mouseup', 'wheel', 'keydown', 'keyup', 'keypress', 'touchstart', 'touchmove',
      'touchend', 'focus', 'blur', 'resize', 'mouseout', 'pageshow'])
      window.addEventListener(kind, ridgepoint.turns.wake, {capture: true, passive: true});
    document.addEventListener('resume', ridgepoint.turns.wake);
    document.addEventListener('visibilitychange', () => ridgepoint.turns.plan(0));
    ridgepoint.turns.plan(0);
  },
  now() {
    const turns = ridgepoint.turns;
    turns.frame = turns.timer = 0;
    const wait_s = turns.take();
    if (!ridgepoint.times.painted) ridgepoint.times.painted = performance.now() / 1000;
    ridgepoint.store.look_later();
    if (wait_s >= 0) turns.plan(wait_s);
  },
  plan(wait_s) {
    const turns = ridgepoint.turns;
    cancelAnimationFrame(turns.frame);
    clearTimeout(turns.timer);
    turns.frame = turns.timer = 0;
    if (document.hidden)
      turns.timer = setTimeout(turns.now, 1000 * Math.max(wait_s, turns.kHidden_s));
    else if (wait_s <= turns.kFrame_s)
      turns.frame = requestAnimationFrame(turns.now);
    else
      turns.timer = setTimeout(turns.now, 1000 * wait_s);
  },
  wake() {
    if (ridgepoint.turns.timer && !document.hidden) ridgepoint.turns.plan(0);
  },
};

// ---- a finger that moves scrolls; one that does not, presses ----

ridgepoint.touch = {
  kStill_px: 8,

  /// A press is the browser's, made of a touch that did not move: the program hears of no touch itself.
  watch(canvas) {
    let last = null, is_moving = false;
    const at = (touch, more) => ({clientX: touch.clientX, clientY: touch.clientY, bubbles: true, cancelable: true, ...more});
    const take = (kind, heard) => canvas.parentNode.addEventListener(kind, event => {
      event.stopPropagation();
      heard(event);
    }, {capture: true, passive: false});
    take('touchstart', event => {
      last = event.touches[0];
      is_moving = false;
      canvas.dispatchEvent(new MouseEvent('mousemove', at(last)));  // what is under the finger scrolls
    });
    take('touchmove', event => {
      event.preventDefault();
      const now = event.touches[0], x = last.clientX - now.clientX, y = last.clientY - now.clientY;
      if (!is_moving && Math.hypot(x, y) < ridgepoint.touch.kStill_px) return;
      is_moving = true;
      canvas.dispatchEvent(new WheelEvent('wheel', at(now, {deltaX: 2 * x, deltaY: 2 * y})));
      last = now;
    });
    take('touchend', event => { if (is_moving) event.preventDefault(); });
    take('touchcancel', () => {});
  },
};

// ---- files that are dropped on the page ----

ridgepoint.drop = {
  kMost: 20,  // are kept

  watch() {
    // Anywhere on the page: what the browser is left with, it goes to in the page's place.
    window.addEventListener('dragover', event => { event.preventDefault(); event.stopPropagation(); }, true);
    window.addEventListener('drop', event => {
      event.preventDefault();
      event.stopPropagation();
      for (const file of event.dataTransfer.files) ridgepoint.drop.take(file);
    }, true);
  },
  /// The window opens it, or says why not. Of what is no run its beginning is enough for that, and nothing of it is kept.
  async take(file) {
    const name = file.name.replace(/\//g, '_'), kStart_bytes = 4096;
    try {
      const start = new Uint8Array(await file.slice(0, kStart_bytes).arrayBuffer());
      const isRun = start[0] === 123;  // '{'
      const folder = isRun ? kDropped : '/foreign';
      FS.mkdirTree(folder);
      FS.writeFile(`${folder}/${name}`, isRun ? new Uint8Array(await file.arrayBuffer()) : start);
      if (isRun) ridgepoint.drop.forget_old();
      ridgepoint.drop.open(`${folder}/${name}`);
    } catch (error) {
      console.error(`${name}: ${error.message}`);
      ridgepoint.drop.open(`/foreign/${name}`);  // a folder, or a file that cannot be read: there is none there
    }
  },
  open(path) {
    const bytes = stringToNewUTF8(path);
    Module._ridge_dropped(bytes);
    Module._free(bytes);
  },
  forget_old() {
    const all = FS.readdir(kDropped).filter(name => !name.startsWith('.')).map(name => `${kDropped}/${name}`);
    const age = path => FS.stat(path).mtime.getTime();
    all.sort((a, b) => age(b) - age(a)).slice(ridgepoint.drop.kMost).forEach(path => FS.unlink(path));
  },
};

// ---- the worker: a line a message, each way ----

ridgepoint.worker = {
  workers: new Map(),
  count: 0,
  heard: 0,  // lines, of all of them

  /// Its number; 0: the browser starts none.
  start(spoke) {
    const one = {lines: [], sent: [], fault: undefined, web: null, is_asleep: false};
    try {
      ridgepoint.worker.load(one, spoke);
    } catch (error) {
      return 0;
    }
    // What a page loads while it is put to sleep is broken off, or never comes: it is loaded again.
    document.addEventListener('freeze', () => { one.is_asleep = true; });
    document.addEventListener('resume', () => {
      one.is_asleep = false;
      if (!one.sent || one.is_ended) return;
      one.web.terminate();
      ridgepoint.worker.load(one, spoke);
      one.sent.forEach(line => one.web.postMessage(line));
    });
    const id = ++ridgepoint.worker.count;
    ridgepoint.worker.workers.set(id, one);
    return id;
  },
  load(one, spoke) {
    const web = one.web = new Worker('worker.js');
    web.onmessage = event => {
      if (typeof event.data !== 'string') {
        ridgepoint.worker.watch(event.data.lock, one, web, spoke);
        return;
      }
      one.sent = null;  // it is there
      one.lines.push(event.data);
      ++ridgepoint.worker.heard;
      spoke();
    };
    web.onerror = event => {
      event.preventDefault();
      if (one.web !== web || (one.sent && one.is_asleep)) return;
      one.fault = (event.message || 'worker.js could not be loaded').replace(/^Uncaught (Error: )?/, '');
      spoke();
    };
  },
  /// A Web Worker that the browser has ended says nothing. The lock that it holds while it lives is free then.
  watch(lock, one, web, spoke) {
    navigator.locks.request(lock, () => {
      if (one.is_ended || one.web !== web) return;
      one.fault = 'the browser has ended it, perhaps for its memory';
      spoke();
    });
  },
  send(id, line) {
    const one = ridgepoint.worker.workers.get(id);
    if (one.sent) one.sent.push(line);
    one.web.postMessage(line);
  },
  take(id) { const one = ridgepoint.worker.workers.get(id); return one && one.lines.shift(); },
  fault(id) { const one = ridgepoint.worker.workers.get(id); return one && one.fault; },
  end(id) {
    const one = ridgepoint.worker.workers.get(id);
    one.is_ended = true;
    one.web.terminate();
  },
};

// ---- what is kept between visits ----

ridgepoint.store = {
  kLook_ms: 1000,
  isThere: false,
  kept: '',       // what was there when it was last saved
  is_saving: false,
  timer: 0,

  /// Reads it before the program starts. Where the browser refuses, as in some private windows, nothing is kept.
  async open() {
    FS.mkdirTree(kHome);
    const store = ridgepoint.store;
    try {
      await store.probe();
      FS.mount(IDBFS, {}, kHome);
      await new Promise((done, fail) => FS.syncfs(true, error => error ? fail(error) : done()));
      store.isThere = true;
      store.kept = store.state(kHome);
    } catch (error) {
      console.error(`the browser's store: ${error && error.message || error}`);
      ridgepoint.notices.push('The browser keeps nothing for this page: settings, progress and runs are gone when it is closed; Export and Open download what is to stay.');
    }
  },
  /// IDBFS ends the program where there is no store.
  probe() {
    return new Promise((done, fail) => {
      const asked = window.indexedDB.open('ridgepoint');
      asked.onsuccess = () => { asked.result.close(); done(); };
      asked.onerror = event => { event.preventDefault(); fail(asked.error); };
    });
  },
  /// A text that is another when a file is.
  state(folder) {
    return FS.readdir(folder).filter(name => !/^\.\.?$/.test(name)).map(name => {
      const path = `${folder}/${name}`, about = FS.stat(path);
      return FS.isDir(about.mode) ? ridgepoint.store.state(path) : `${path} ${about.mtime.getTime()} ${about.size}`;
    }).join();
  },
  /// After a turn: soon whether one has changed something.
  look_later() {
    const store = ridgepoint.store;
    if (store.isThere && !store.timer) store.timer = setTimeout(() => { store.timer = 0; store.save(); }, store.kLook_ms);
  },
  save() {
    const store = ridgepoint.store;
    if (!store.isThere || store.is_saving) return;
    const now = store.state(kHome);
    if (now === store.kept) return;
    store.is_saving = true;
    FS.syncfs(false, error => {
      store.is_saving = false;
      if (error) console.error(`the browser's store: ${error.message || error}`);
      else store.kept = now;
    });
  },
};

// ---- a run in the page's address ----

ridgepoint.link = {
  /// "run=": a saved run, compressed by gzip, as base64 in the letters of addresses.
  async open() {
    const word = ridgepoint.words().find(one => one.startsWith('run='));
    if (!word) return;
    FS.mkdirTree('/linked');
    try {
      const letters = atob(word.slice(4).replace(/-/g, '+').replace(/_/g, '/'));
      const stream = new Blob([Uint8Array.from(letters, one => one.charCodeAt(0))]).stream();
      const run = await new Response(stream.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
      FS.writeFile(kLinked, new Uint8Array(run));
    } catch (error) {
      console.error(`run=: ${error.message}`);
      ridgepoint.notices.push('The run in the page’s address is not whole: ask for the link again; everything else is here.');
    }
  },
};

// ---- the recordings: one file, fetched once the window stands ----

ridgepoint.recorded = {
  /// Calls done(true) when they lie in the program's files.
  async fetch(done) {
    try {
      const answer = await fetch('recorded.tar.gz');
      if (!answer.ok) throw new Error(answer.statusText);
      const stream = answer.body.pipeThrough(new DecompressionStream('gzip'));
      ridgepoint.recorded.unpack(new Uint8Array(await new Response(stream).arrayBuffer()));
      ridgepoint.times.recorded = performance.now() / 1000;
      done(true);
    } catch (error) {
      console.error(`recorded.tar.gz: ${error.message}`);
      done(false);
    }
  },

  /// The plain files of a tar: a header of 512 bytes before each, which is filled up to a multiple of 512.
  unpack(tar) {
    FS.mkdirTree(kRecorded);
    const text = (at, length) => new TextDecoder().decode(tar.subarray(at, at + length)).replace(/\0.*$/, '');
    for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
      const size = parseInt(text(at + 124, 12), 8);
      const isFile = tar[at + 156] === 48;  // '0'; its folder has an entry too
      if (isFile) FS.writeFile(`${kRecorded}/${text(at, 100)}`, tar.subarray(at + 512, at + 512 + size));
      at += 512 + Math.ceil(size / 512) * 512;
    }
  },
};

// ---- the start ----

/// "#lab=gemm&rung=gemm.cpu.blocked&n=512": a word each.
ridgepoint.words = () => location.hash.slice(1).split('&').filter(word => word).map(word => {
  try {
    return decodeURIComponent(word);
  } catch (error) {
    return word;  // the program says what is wrong with it
  }
});

/// Why this browser cannot run it; empty: it can.
ridgepoint.blocker = function () {
  const kElsewhere = 'The desktop program, its lessons and recordings do not need it.';
  if (typeof WebAssembly !== 'object') return `This browser has no WebAssembly, which Ridgepoint is made of. ${kElsewhere}`;
  if (!document.createElement('canvas').getContext('webgl2'))
    return `This browser gives the page no WebGL 2, which draws Ridgepoint: switch on hardware acceleration, or open it in another browser. ${kElsewhere}`;
  return '';
};

var Module = {
  canvas: document.getElementById('canvas'),
  arguments: ridgepoint.words().filter(word => !word.startsWith('run=')),
  print: text => console.log(text),
  printErr: text => {
    console.error(text);
    if (!ridgepoint.times.begun) ridgepoint.say(text);  // the window could not be opened
  },
  onAbort: what => ridgepoint.say(`Ridgepoint has stopped (${what}); what was saved is kept: load the page again.`),
  preRun: [() => {
    addRunDependency('files');
    Promise.all([ridgepoint.store.open(), ridgepoint.link.open()]).then(() => removeRunDependency('files'));
  }],
};

/// Whether the page is being loaded again: with the headers that let threads share memory, which web/isolated.js adds. Once for
/// each visit; where it does not help, the worker has one thread.
ridgepoint.isolate = async function () {
  if (window.crossOriginIsolated || !navigator.serviceWorker) return false;
  try {
    if (sessionStorage.getItem('isolated')) return false;
    sessionStorage.setItem('isolated', performance.timeOrigin);
    const patience = new Promise(done => setTimeout(done, 1000));
    const asked = navigator.serviceWorker.register('isolated.js').then(() => navigator.serviceWorker.ready);
    if (!await Promise.race([asked, patience])) return false;
    location.reload();
    return true;
  } catch (error) {
    console.error(`isolated.js: ${error.message}`);
    return false;
  }
};

ridgepoint.load = function () {
  const program = document.createElement('script');
  program.src = 'ridgepoint.js';
  program.onerror = () => ridgepoint.say('ridgepoint.js could not be loaded: serve the whole folder, as with python3 -m http.server.');
  document.body.append(program);
};

const blocker = ridgepoint.blocker();
if (blocker)
  ridgepoint.say(blocker);
else
  ridgepoint.isolate().then(isLeaving => { if (!isLeaving) ridgepoint.load(); });
