// Stands before what emscripten generates. Its loader asks fetch() for the program's file where there is a fetch(); node's
// takes no path of a file.
if (typeof process === 'object' && process.versions && process.versions.node) globalThis.fetch = undefined;
