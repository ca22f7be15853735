// ridge: arch=75
#include "kernels/runtime/cuda/nvrtc.h"

#include <nvrtc.h>

#include <chrono>
#include <map>

#include "common/core/shared_library.h"
#include "common/harness/kernel/cuda_check.h"
#include "common/harness/kernel/registry.h"

namespace ridge::device {
namespace {

struct Compiler : SharedLibrary {
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  bool complete = false;
};

Compiler find_compiler() {
  Compiler c;
  if (!c.open({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})) {
    return c;
  }
  c.complete = c.find(&c.create, "nvrtcCreateProgram") && c.find(&c.compile, "nvrtcCompileProgram") &&
               c.find(&c.destroy, "nvrtcDestroyProgram") && c.find(&c.log_size, "nvrtcGetProgramLogSize") &&
               c.find(&c.log, "nvrtcGetProgramLog") && c.find(&c.cubin_size, "nvrtcGetCUBINSize") &&
               c.find(&c.cubin, "nvrtcGetCUBIN");
  return c;
}

const Compiler& compiler() {
  static const Compiler found = find_compiler();
  return found;
}

std::string embedded_text(const std::string& path) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (path == file.path) return file.text;
  }
  return "#error " + path + " is not embedded";
}

/// The machine code, or an empty string and the first of the compiler's words in `log`.
std::string compile(const std::string& source, const std::vector<std::string>& headers, const std::string& arch,
                    std::string* log) {
  std::vector<std::string> texts;
  std::vector<const char*> text_pointers, names;
  for (const std::string& path : headers) texts.push_back(embedded_text(path));
  for (size_t i = 0; i < headers.size(); ++i) {
    text_pointers.push_back(texts[i].c_str());
    names.push_back(headers[i].c_str());
  }
  nvrtcProgram program = nullptr;
  compiler().create(&program, source.c_str(), "generated.cu", static_cast<int>(names.size()), text_pointers.data(),
                    names.data());
  const char* options[] = {arch.c_str(), "-std=c++17", "-default-device"};
  const nvrtcResult result = compiler().compile(program, 3, options);
  std::string binary;
  size_t bytes = 0;
  if (result == NVRTC_SUCCESS && compiler().cubin_size(program, &bytes) == NVRTC_SUCCESS) {
    binary.resize(bytes);
    compiler().cubin(program, binary.data());
  } else if (compiler().log_size(program, &bytes) == NVRTC_SUCCESS) {
    log->resize(bytes);
    compiler().log(program, log->data());
    log->resize(std::min<size_t>(log->size(), 300));
  }
  compiler().destroy(&program);
  return binary;
}

}  // namespace

const char* nvrtc_missing() {
  if (compiler().complete) return nullptr;
  return "libnvrtc, CUDA's compiler as a library, was not found: install the CUDA toolkit or put "
         "its "
         "folder into LD_LIBRARY_PATH";
}

Status Program::launch(unsigned blocks, int threads, int shared_bytes, void** arguments, const Launch& launch) const {
  RIDGE_CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                                    dim3(static_cast<unsigned>(threads)), arguments, static_cast<size_t>(shared_bytes),
                                    static_cast<cudaStream_t>(launch.stream)));
  return {};
}

Status compile_program(const std::string& source, const std::vector<std::string>& headers, const char* name,
                       Program* program) {
  static std::map<std::string, std::string> known;  // the worker's main thread alone prepares
  static std::string log;
  if (nvrtc_missing() != nullptr) return {nvrtc_missing(), "dlopen", __FILE__, __LINE__, false};
  int device = 0, major = 0, minor = 0;
  RIDGE_CUDA_CHECK(cudaGetDevice(&device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  std::string& binary = known[source];
  if (binary.empty()) {
    const auto start = std::chrono::steady_clock::now();
    binary = compile(source, headers, "-arch=sm_" + std::to_string(10 * major + minor), &log);
    program->compile_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  if (binary.empty()) return {log.c_str(), "nvrtcCompileProgram", __FILE__, __LINE__, false};
  program->binary_bytes = binary.size();
  RIDGE_CUDA_CHECK(cudaLibraryLoadData(&program->library, binary.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  RIDGE_CUDA_CHECK(cudaLibraryGetKernel(&program->kernel, program->library, name));
  return {};
}

}  // namespace ridge::device
