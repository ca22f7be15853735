// Under node the worker reads its lines from stdin, and the page's data sets from where the native worker looks for them.
if (ridge_node && !ENVIRONMENT_IS_PTHREAD) {
  const host = require('fs'), path = require('path');
  const names = Object.keys(process.env).filter(name => /^(RIDGE|XDG_|HOME$)/.test(name));
  const folders = [process.env.RIDGEPOINT_DATA, process.env.XDG_DATA_HOME, process.env.XDG_CACHE_HOME];

  const mount = (folder, at) => {
    if (!folder || !path.isAbsolute(folder) || !host.existsSync(folder)) return;
    FS.mkdirTree(at);
    FS.mount(NODEFS, { root: folder }, at);
  };
  Module['preRun'] = [() => {
    names.forEach(name => { ENV[name] = process.env[name]; });
    mount(path.join(__dirname, 'data'), '/usr/share/datasets');
    folders.forEach(folder => mount(folder, folder));
  }].concat(Module['preRun'] || []);

  // What was said has to be read first: a pipe may be full.
  const leave = code => process.stdout.write('', () => process.exit(code));
  const take = line => {
    const bytes = stringToNewUTF8(line);
    Module['_ridge_take_line'](bytes);
    Module['_free'](bytes);
  };
  Module['onEnded'] = leave;
  Module['onRuntimeInitialized'] = () => setTimeout(() => {  // main() says hello first
    let rest = '';
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', text => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      lines.forEach(take);
    });
    process.stdin.on('end', () => take('{"type":"quit"}'));  // what waits is done first
  }, 0);
}
