// The Web Worker that measures: a message with a text is a line of the protocol, either way. A message {path, bytes} before
// the first line puts a file (a data set) where the worker looks for it.
'use strict';

// A function with one instruction on 128 bits.
const kSimd = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);
if (!WebAssembly.validate(kSimd))
  throw new Error('this browser lacks WebAssembly SIMD, which the rungs are compiled with: a newer one measures; recordings are shown here');

const waiting = [];
let is_ready = false;

function take(message) {
  if (typeof message !== 'string') {
    Module.FS.mkdirTree(message.path.replace(/\/[^/]*$/, ''));
    Module.FS.writeFile(message.path, message.bytes);
    return;
  }
  const bytes = Module.stringToNewUTF8(message);
  const goes_on = Module._ridge_take_line(bytes);
  Module._free(bytes);
  if (!goes_on) throw new Error('the worker is lost');
  if (/^\s*\{.*"type"\s*:\s*"quit"/.test(message)) self.close();
}

self.onmessage = event => { is_ready ? take(event.data) : waiting.push(event.data); };

var Module = {
  print: line => self.postMessage(line),
  printErr: line => console.error(line),
  onAbort: what => { throw new Error('the worker ended: ' + what); },
  onRuntimeInitialized: () => setTimeout(() => {  // main() says hello first
    is_ready = true;
    waiting.forEach(take);
  }, 0),
};
importScripts('ridgepoint-worker.js');
