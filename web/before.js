// Stands before what emscripten generates. Its loader asks fetch() for the program's file where there is a fetch(); node's
// takes no path of a file.
const ridge_node = typeof process === 'object' && process.versions && process.versions.node;
if (ridge_node) globalThis.fetch = undefined;

// Whether threads can share the program's memory: in a browser where the page is isolated (web/isolated.js).
const ridge_shares = ridge_node ? true : globalThis.crossOriginIsolated === true;
const ridge_cores = ridge_node ? require('os').cpus().length : navigator.hardwareConcurrency || 1;

// The worker's memory is one that threads could share. A browser makes such a memory everywhere, but names its kind only where
// it can be shared.
if (typeof importScripts === 'function') globalThis.SharedArrayBuffer ??= new WebAssembly.Memory({initial: 0, maximum: 0, shared: true}).buffer.constructor;
