#include "common/harness/measure/disassembly.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "common/core/files.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/hot_loop.h"
#include "common/harness/measure/tool.h"

namespace ridge::measure {
namespace {

/// With the rest of its line under the protocol's 64 KiB, escapes included.
constexpr size_t kMaxBytes = 48'000;
/// Of a function that does not fit: what stands before the loop.
constexpr size_t kLinesBefore = 60;
constexpr double kToolLimit_s = 60;

Error unavailable(std::string what, const std::string& kernel, std::string hint) {
  return {ErrorCode::unavailable, std::move(what), kernel, std::move(hint)};
}

using Cancelled = std::function<bool()>;

/// Where this program is loaded: it may be anywhere.
uintptr_t load_base() {
  uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uintptr_t*>(out) = info->dlpi_addr;
        return 1;  // the first is the program itself
      },
      &base);
  return base;
}

/// Where the linker thought it would be.
int64_t file_address(const void* place) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(place) - load_base());
}

struct Built {
  const void* registration = nullptr;
  Backend backend = Backend::cpu;
  const char* library = nullptr;
};

Built find_built(const std::string& id) {
  if (const auto* found = find_kernel(id)) return {found, found->backend, found->library};
  if (const auto* found = find_training(id)) return {found, found->backend};
  if (const auto* found = find_pipeline(id)) return {found, found->backend};
  if (const auto* found = find_trap(id)) return {found, found->backend};
  return {};
}

// ---- CPU ----------------------------------------------------------------------------------------

struct AddressRange {
  int64_t begin = 0, end = 0;
};

/// A line of objdump's symbol table.
struct Symbol {
  int64_t address = 0, size = 0;
  std::string flags, section, name;
  bool is(char flag) const { return flags.find(flag) != flags.npos; }
};

/// "0000000000064080 l     F .text\t0000000000000111              name"; none: another line.
std::optional<Symbol> symbol_of(const std::string& line) {
  const size_t tab = line.find('\t');
  if (tab == line.npos || line.size() < 25) return std::nullopt;
  Symbol symbol;
  symbol.flags = line.substr(17, 7), symbol.section = line.substr(25, tab - 25);
  symbol.address = std::strtoll(line.c_str(), nullptr, 16);
  symbol.size = std::strtoll(line.c_str() + tab, nullptr, 16);
  symbol.name = line.substr(line.find_last_of(" \t") + 1);
  return symbol;
}

/// The functions of the file that holds the symbol at `registration`; empty if nothing does.
AddressRange code_beside(const std::string& symbols, int64_t registration) {
  std::istringstream lines(symbols);
  AddressRange code;
  bool here = false;
  for (std::string line; std::getline(lines, line);) {
    const auto symbol = symbol_of(line);
    if (!symbol) continue;
    if (symbol->is('f')) {  // a file begins
      if (here) return code;
      code = {};
    }
    here = here || (symbol->is('O') && symbol->address == registration);
    const bool is_cold = line.ends_with(".cold");
    if (!symbol->is('F') || symbol->section != ".text" || symbol->size == 0 || is_cold) continue;
    code.begin = code.end == 0 ? symbol->address : std::min(code.begin, symbol->address);
    code.end = std::max(code.end, symbol->address + symbol->size);
  }
  return here ? code : AddressRange{};
}

/// Where a rung's description lies in a shared object that holds no other; 0: it has no symbols.
int64_t only_registration(const std::string& symbols) {
  // With its length before it, as mangled names have it: "ridge_entry_ridge_kernel_desc" is another.
  const size_t name = symbols.find("17ridge_kernel_desc");
  const size_t begin = name == symbols.npos ? 0 : symbols.rfind('\n', name) + 1;
  return name == symbols.npos ? 0 : std::strtoll(symbols.c_str() + begin, nullptr, 16);
}

/// `registration`: where its description is loaded in this program; null: `program` is another. `source`: the file
/// whose lines its instructions are to say; empty: none.
Result<std::vector<AsmLine>> cpu_code(const std::string& kernel, const std::string& program,
                                      const void* registration, const Cancelled& cancelled,
                                      const std::string& source = "") {
  const auto no_tool = [&](const Error& why) {
    if (why.code == ErrorCode::cancelled) return why;
    return unavailable("objdump: " + why.what, kernel, "install it: sudo apt install binutils");
  };
  const auto symbols = output_of({"objdump", "-t", program}, kToolLimit_s, cancelled);
  if (!symbols) return no_tool(symbols.error());
  const AddressRange code = code_beside(
      *symbols, registration != nullptr ? file_address(registration) : only_registration(*symbols));
  if (code.end == 0) {
    return unavailable(
        "this worker was stripped of its symbols, so that its functions have no names", kernel,
        "build it again and leave out strip");
  }
  std::vector<std::string> command = {"objdump",
                                      "-d",
                                      "-C",
                                      "--no-show-raw-insn",
                                      "--start-address=" + std::to_string(code.begin),
                                      "--stop-address=" + std::to_string(code.end)};
#ifdef __x86_64__
  command.push_back("-Mintel");
#endif
  if (!source.empty()) command.insert(command.end(), {"-l", "--inlines"});
  command.push_back(program);
  const auto text = output_of(command, kToolLimit_s, cancelled);
  if (!text) return no_tool(text.error());
  return parse_objdump(*text, source);
}

/// Takes the source lines of `other` where it is the same code, instruction by instruction.
void take_lines(const std::vector<AsmLine>& other, std::vector<AsmLine>* lines) {
  const auto same = [](const AsmLine& a, const AsmLine& b) {
    return a.mnemonic == b.mnemonic && a.operands == b.operands && a.address == b.address;
  };
  if (!std::equal(other.begin(), other.end(), lines->begin(), lines->end(), same)) return;
  for (size_t i = 0; i < other.size(); ++i) (*lines)[i].source_line = other[i].source_line;
}

// ---- GPU ----------------------------------------------------------------------------------------

/// The name after each __global__ of a source, attributes passed over.
std::vector<std::string> global_functions(const std::string& source) {
  std::vector<std::string> names;
  const std::string text = strip_comments(source);
  for (size_t at = text.find("__global__"); at != text.npos; at = text.find("__global__", at + 1)) {
    size_t open = text.find('(', at);
    // __launch_bounds__(..) and __cluster_dims__(..) have parentheses of their own.
    while (open != text.npos && text.compare(open - 2, 2, "__") == 0)
      open = text.find('(', text.find(')', open));
    if (open == text.npos) break;
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    size_t begin = open;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    names.push_back(text.substr(begin, open - begin));
  }
  return names;
}

/// "90" of "sm_90a"; 0 for other texts.
int arch_number(const std::string& name) {
  return name.starts_with("sm_") ? std::atoi(name.c_str() + 3) : 0;
}

struct Sass {
  std::string arch;
  std::vector<AsmLine> lines;
};

/// Of all functions in cuobjdump's text those of these names, for the newest architecture that
/// `capability` can run (0: the newest).
Sass pick_sass(const std::string& text, const std::vector<std::string>& names, int capability) {
  Sass best;
  std::istringstream stream(text);
  std::string arch, function, body;
  int functions = 0;
  const auto close = [&] {
    const std::string* name = nullptr;
    for (const std::string& one : names) {
      // Mangled names hold the length before the name.
      if (function.find(std::to_string(one.size()) + one) != function.npos) name = &one;
    }
    const int number = arch_number(arch);
    const bool runs = capability == 0 || number <= capability;
    if (name && runs && number >= arch_number(best.arch)) {
      if (number > arch_number(best.arch)) best = {arch, {}};
      std::vector<AsmLine> lines = parse_sass(body, function);
      for (AsmLine& line : lines) line.function = functions;
      ++functions;
      best.lines.insert(best.lines.end(), lines.begin(), lines.end());
    }
    body.clear();
    function.clear();
  };
  for (std::string line; std::getline(stream, line);) {
    if (const size_t at = line.find("code for sm_"); at != line.npos) {
      close();
      arch = line.substr(at + 9);
    } else if (const size_t name = line.find("Function : "); name != line.npos) {
      close();
      function = line.substr(name + 11);
    } else if (!function.empty()) {
      body += line + "\n";
    }
  }
  close();
  return best;
}

/// cuobjdump from PATH, else from the toolkit's usual places.
Result<std::string> all_sass(const std::string& file, const Cancelled& cancelled) {
  std::vector<std::string> places = {"cuobjdump", "/usr/local/cuda/bin/cuobjdump"};
  if (const char* home = std::getenv("CUDA_HOME"))
    places.push_back(std::string(home) + "/bin/cuobjdump");
  Error why;
  for (const std::string& place : places) {
    auto text = output_of({place, "--dump-sass", file}, kToolLimit_s, cancelled);
    if (text || text.error().code == ErrorCode::cancelled) return text;
    if (why.what.empty() || text.error().what != "it is not installed") why = text.error();
  }
  return why;
}

/// What nvcc puts into an object for its GPU code (fatbinary_section.h and fatbinary.h of the toolkit).
struct FatbinWrapper {
  static constexpr uint32_t kMagic = 0x466243b1;
  uint32_t magic, version;
  const void* data;
  const void* more;
};
struct FatbinHeader {
  static constexpr uint32_t kMagic = 0xba55ed50;
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes;  ///< after the header
};

/// The GPU code that was compiled with the file of the rung at `registration`, in this process; empty: not found.
std::string own_fatbin(const std::string& symbols, const void* registration) {
  const int64_t at = symbol_beside(symbols, file_address(registration), "_ZL15__fatDeviceText");
  if (at == 0) return "";
  const auto* wrapper =
      reinterpret_cast<const FatbinWrapper*>(load_base() + static_cast<uintptr_t>(at));
  if (wrapper->magic != FatbinWrapper::kMagic) return "";
  const auto* header = static_cast<const FatbinHeader*>(wrapper->data);
  if (header == nullptr || header->magic != FatbinHeader::kMagic) return "";
  return {reinterpret_cast<const char*>(header), header->header_bytes + header->bytes};
}

/// A file that lasts as long as this.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& content) {
    path_ = temporary_folder() + "/ridge-XXXXXX.fatbin";
    int file = mkstemps(path_.data(), sizeof(".fatbin") - 1);
    const bool is_whole =
        file >= 0 && write(file, content.data(), content.size()) == ssize_t(content.size());
    if (file >= 0) close(file);
    if (!is_whole) remove();
  }
  ~ScratchFile() { remove(); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }  ///< empty: it could not be written

 private:
  void remove() {
    if (!path_.empty()) unlink(path_.c_str());
    path_.clear();
  }
  std::string path_;
};

/// The rung's own file alone where the symbols tell it: all of a worker's GPU code is hundreds of megabytes of text,
/// which takes cuobjdump minutes.
Result<std::string> sass_of(const std::string& program, const void* registration,
                            const Cancelled& cancelled) {
  if (registration != nullptr) {
    const auto symbols = output_of({"objdump", "-t", program}, kToolLimit_s, cancelled);
    if (!symbols && symbols.error().code == ErrorCode::cancelled) return symbols.error();
    const ScratchFile file(symbols ? own_fatbin(*symbols, registration) : "");
    if (symbols && !file.path().empty()) {
      auto text = all_sass(file.path(), cancelled);
      if (!text || text->find("Function : ") != text->npos) return text;
    }
  }
  return all_sass(program, cancelled);
}

Result<Sass> gpu_code(const std::string& kernel, const std::string& program,
                      const std::string& source, int capability, const void* registration,
                      const Cancelled& cancelled) {
  const auto names = global_functions(source);
  if (names.empty()) {
    return unavailable("its file defines no GPU function of its own", kernel,
                       "look at the rung whose function it launches");
  }
  const auto text = sass_of(program, registration, cancelled);
  if (!text && text.error().code == ErrorCode::cancelled) return text.error();
  if (!text) {
    return unavailable("cuobjdump: " + text.error().what, kernel,
                       "install cuda-cuobjdump and cuda-nvdisasm of the CUDA toolkit, and put them "
                       "on PATH");
  }
  Sass code = pick_sass(*text, names, capability);
  if (code.lines.empty()) {
    return unavailable("no code for this GPU is built in, or the disassembler found none", kernel,
                       "build with RIDGE_GPU_ARCH for this GPU; nvdisasm must be on PATH too");
  }
  return code;
}

// ---- what is sent -------------------------------------------------------------------------------

/// The function with the loop first; of it, where it is too long, the loop's surroundings.
void put_loop_first(std::vector<AsmLine>* lines, std::optional<HotLoop>* loop) {
  if (!*loop) return;
  const auto own = [&](const AsmLine& line) {
    return line.function == (*lines)[(*loop)->first].function;
  };
  const int function = (*lines)[(*loop)->first].function;
  const auto begin = std::find_if(lines->begin(), lines->end(), own);
  const auto end = std::find_if(begin, lines->end(),
                                [&](const AsmLine& line) { return line.function != function; });
  const auto before = static_cast<size_t>(begin - lines->begin());
  std::rotate(lines->begin(), begin, end);
  (*loop)->first -= before;
  (*loop)->last -= before;
}

void fill(std::vector<AsmLine> lines, bool sass, AssemblyText* out) {
  std::optional<HotLoop> loop = hot_loop(lines, sass);
  put_loop_first(&lines, &loop);
  out->lines = static_cast<int64_t>(lines.size());
  size_t bytes_to_end = 0, begin = 0;
  for (size_t i = 0; loop && i <= loop->last; ++i) bytes_to_end += lines[i].text.size() + 2;
  if (bytes_to_end > kMaxBytes / 2 && loop->first > kLinesBefore + 1) {
    // The function's name stays, and its lines up to the loop's neighbourhood go.
    begin = loop->first - kLinesBefore - 2;
    out->text = lines[0].text + "\n";
    out->origins.push_back(0);
    lines[begin].source_line = 0;
    lines[begin].text = "          ... " + std::to_string(begin) + " lines are left out";
  }
  const size_t shift = begin > 0 ? begin - 1 : 0;
  size_t next = begin;
  for (size_t bytes = out->text.size(); next < lines.size(); ++next) {
    bytes += lines[next].text.size() + 2;  // a newline takes two in JSON
    if (bytes > kMaxBytes) break;
    out->text += lines[next].text + "\n";
    out->origins.push_back(lines[next].source_line);
  }
  const bool is_linked = std::any_of(out->origins.begin(), out->origins.end(),
                                     [](int source_line) { return source_line > 0; });
  if (!is_linked) out->origins.clear();
  if (!loop) return;
  out->loop_first = static_cast<int64_t>(loop->first - shift) + 1;
  out->loop_last = static_cast<int64_t>(std::min(loop->last + 1, next) - shift);
  out->loop_instructions = loop->instructions;
  out->loop_fma = loop->fma;
  out->loop_arithmetic = loop->arithmetic;
  out->loop_loads = loop->loads;
  out->loop_stores = loop->stores;
}

void fill_cpu(std::vector<AsmLine> lines, AssemblyText* text) {
  text->tool = "objdump";
#if defined(__x86_64__)
  text->target = "x86-64";
#elif defined(__aarch64__)
  text->target = "aarch64";
#endif
  fill(std::move(lines), false, text);
}

void fill_gpu(Sass code, AssemblyText* text) {
  text->tool = "cuobjdump";
  text->target = code.arch;
  fill(std::move(code.lines), true, text);
}

}  // namespace

int64_t symbol_beside(const std::string& symbols, int64_t registration, std::string_view name) {
  std::istringstream lines(symbols);
  int64_t found = 0;
  bool here = false;
  for (std::string line; std::getline(lines, line);) {
    const auto symbol = symbol_of(line);
    if (!symbol) continue;
    if (symbol->is('f')) {
      if (here) return found;
      found = 0;
    }
    here = here || (symbol->is('O') && symbol->address == registration);
    if (symbol->name == name) found = symbol->address;
  }
  return here ? found : 0;
}

Result<AssemblyText> disassemble(const std::string& kernel, int capability,
                                 const std::function<bool()>& cancelled) {
  const Built built = find_built(kernel);
  if (!built.registration) {
    if (find_source(kernel)) {
      return unavailable("it is not compiled into this worker", kernel, "`list` says why");
    }
    return Error{ErrorCode::usage, "no rung is called '" + kernel + "'", "assembly",
                 "`list` names those of this worker"};
  }
  if (built.library) {
    return unavailable(
        std::string("its work is done by ") + built.library + ", no code of this worker", kernel,
        "choose a rung of ours");
  }
  AssemblyText text;
  text.kernel = kernel;
  if (built.backend == Backend::cpu) {
    RIDGE_TRY(auto lines, cpu_code(kernel, own_program(), built.registration, cancelled));
    fill_cpu(std::move(lines), &text);
  } else {
    const KernelSource* source = find_source(kernel);
    RIDGE_TRY(Sass code, gpu_code(kernel, own_program(), source ? source->text : "", capability,
                                  built.registration, cancelled));
    fill_gpu(std::move(code), &text);
  }
  return text;
}

Result<AssemblyText> disassemble_object(const SourceText& source, const std::string& path,
                                        int capability, const std::function<bool()>& cancelled,
                                        const std::string& with_lines) {
  AssemblyText text;
  text.kernel = source.kernel;
  if (source.path.ends_with(".cu")) {
    RIDGE_TRY(Sass code,
              gpu_code(source.kernel, path, source.text, capability, nullptr, cancelled));
    fill_gpu(std::move(code), &text);
  } else {
    RIDGE_TRY(auto lines, cpu_code(source.kernel, path, nullptr, cancelled));
    if (!with_lines.empty()) {
      const std::string file = source.path.substr(source.path.rfind('/') + 1);
      const auto other = cpu_code(source.kernel, with_lines, nullptr, cancelled, file);
      if (other) take_lines(*other, &lines);
    }
    fill_cpu(std::move(lines), &text);
  }
  return text;
}

}  // namespace ridge::measure
