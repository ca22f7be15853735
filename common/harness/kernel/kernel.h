// What a rung's file hands to the harness: one KernelDesc, registered as data.
//
// ISA-flagged files (-mavx512f ...) include this header, so it stays C-like: no templates, no std::,
// nothing with a constructor that runs. Otherwise the linker could pick such a file's AVX-512 copy
// of a shared inline function, or start-up could execute AVX-512 on a CPU without it. Registration
// therefore is a pointer placed in a linker section, not a static initialiser.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/core/accuracy.h"
#include "common/core/backend.h"
#include "common/core/registration.h"

namespace ridge {

/// Element types a problem can be posed in. tf32: fp32 in memory, its mantissa rounded to 10 bits;
/// fp8: e4m3 (OCP 8-bit floating point: largest 448, no infinity); int32 is an output only.
enum class DType : uint8_t { fp64, fp32, tf32, bf16, fp16, fp8, int8, int32 };

/// Bytes of one element.
constexpr size_t dtype_size(DType t) {
  return t == DType::fp64                                            ? 8
         : t == DType::fp32 || t == DType::tf32 || t == DType::int32 ? 4
         : t == DType::bf16 || t == DType::fp16                      ? 2
                                                                     : 1;
}

/// The outcome of prepare or launch. Default: success. `what` and `expression` are string literals
/// or library-owned text that outlives the call.
struct Status {
  const char* what = nullptr;        ///< null: success
  const char* expression = nullptr;  ///< the failing call
  const char* file = nullptr;
  int line = 0;
  bool sticky = false;  ///< the device context is lost (CUDA): the worker must end
  bool refused =
      false;  ///< the rung does not take such a problem: skipped, not failed. See refuse()
  bool ok() const { return what == nullptr; }
};

/// What prepare() or launch() returns for a problem that the rung does not take: "takes images in nhwc
/// (layout=nhwc)". `what` as in Status.
static inline Status refuse(const char* what) {
  Status status;
  status.what = what;
  status.refused = true;
  return status;
}

/// The shape a kernel is asked for. What dim[i] means is the family's (kernels/<family>/<family>.h).
struct Shape {
  int64_t dim[16] = {};
  DType dtype = DType::fp32;
  int threads = 1;  ///< CPU threads the kernel may use; GPU kernels ignore it
  /// What the family declares constant, a model's weights: prepare() may pack it. In host memory, there
  /// as long as the problem; the family's header says what it is. Null where everything is in buffers.
  const void* constants = nullptr;
};

/// What prepare() made for one shape; launch() gets it back. release(state) frees it.
struct Plan {
  void* state = nullptr;
  void (*release)(void* state) = nullptr;
  size_t workspace_bytes = 0;  ///< device or host memory the plan holds beside the buffers
  /// What was chosen for this shape, in a phrase ("tile 128x256, 4 stages"); empty: nothing to tell.
  char note[120] = {};
  /// Of one call, where prepare() alone knows: three-input logic instructions, and bytes from the
  /// second-level cache. 0: not counted.
  double vector_ops = 0, l2_bytes = 0;
};

/// One call: the buffers in the family's order (host or device pointers, by backend), and the stream.
struct Launch {
  Shape shape;
  void* const* buffers = nullptr;
  void* stream = nullptr;  ///< cudaStream_t on CUDA, null on the CPU
  void* plan_state = nullptr;
};

/// How long a run of calls took in the process that made them.
struct CallTimes {
  double wall_ns = 0;
  double cpu_ns = 0;  ///< CPU time of that process
};

struct KernelDesc {
  const char* id = nullptr;  ///< "<family>.<backend>.<trick>", e.g. "gemm.cpu.naive_o1"
  Backend backend = Backend::cpu;
  const char* isa = "";     ///< from the build line: "", "avx2", "avx512f" ...
  int arch = 0;             ///< from the build line: least compute capability, 75, 80, 90
  bool arch_exact = false;  ///< "90a": that capability and no later one
  // A rung's file sets the members from here on, in this order.
  const char* dtypes = "fp32";         ///< space-separated names as in dtype_name()
  const char* library = nullptr;       ///< "oneDNN" for a peer; null for our own rungs
  const char* (*version)() = nullptr;  ///< peers: "2.6.3", for the environment
  bool may_sync = false;               ///< launch() may synchronise the device: it is never gated
  Accuracy accuracy = Accuracy::componentwise;  ///< which class of error its algorithm has
  /// For what runs in another process (common/harness/measure/external.h), marked `external`: makes `calls`
  /// calls there, on what the last launch() sent, and says how long they took. Null: the device
  /// times launch() itself.
  Status (*time_calls)(const Launch& launch, int64_t calls, CallTimes* times) = nullptr;
  /// Why this machine cannot run it, whatever its ISA ("python3 has no numpy"); null where it can.
  const char* (*unavailable)() = nullptr;
  /// Untimed, shape only. Null: nothing to prepare.
  Status (*prepare)(const Shape& shape, Plan* plan) = nullptr;
  /// Timed. Must write the whole output and touch nothing else.
  Status (*launch)(const Launch& launch) = nullptr;
};

}  // namespace ridge

// The build line of each kernel file ("// ridge: ...") reaches the code through these.
#ifndef RIDGE_VARIANT
#define RIDGE_VARIANT ""  // "_o1" when the file is built as variant o1
#endif
#ifndef RIDGE_ISA
#define RIDGE_ISA ""
#endif
#ifndef RIDGE_ARCH
#define RIDGE_ARCH 0
#endif
#ifndef RIDGE_ARCH_EXACT
#define RIDGE_ARCH_EXACT false
#endif

/// RIDGE_KERNEL(gemm, cpu, naive, .launch = launch);   once per file, at the end.
#define RIDGE_KERNEL(family_, backend_, trick_, ...)          \
  static constexpr ::ridge::KernelDesc ridge_kernel_desc = {  \
      .id = #family_ "." #backend_ "." #trick_ RIDGE_VARIANT, \
      .backend = ::ridge::Backend::backend_,                  \
      .isa = RIDGE_ISA,                                       \
      .arch = RIDGE_ARCH,                                     \
      .arch_exact = RIDGE_ARCH_EXACT,                         \
      __VA_ARGS__};                                           \
  RIDGE_REGISTER("ridge_kernels", ::ridge::KernelDesc, ridge_kernel_desc)
