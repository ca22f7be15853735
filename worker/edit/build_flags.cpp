#include "worker/edit/build_flags.h"

#include <algorithm>

namespace ridge::worker {
namespace {

constexpr std::string_view kCpuFlags =
    R"(-O -O0 -O1 -O2 -O3 -Os -Og -Ofast -std=c++20 -std=gnu++20 -std=c++23 -std=gnu++23
-D<name> -D<name>=<word> -Wno-<word>

-march=<word> -mtune=<word> -mcpu=<word> -mfpmath=sse -mfpmath=387 -mbranch-cost=<n>
-mprefer-vector-width=none -mprefer-vector-width=128 -mprefer-vector-width=256 -mprefer-vector-width=512
-m[no-]sse -m[no-]sse2 -m[no-]sse3 -m[no-]ssse3 -m[no-]sse4 -m[no-]sse4.1 -m[no-]sse4.2 -m[no-]sse4a
-m[no-]avx -m[no-]avx2 -m[no-]fma -m[no-]f16c -m[no-]bmi -m[no-]bmi2 -m[no-]lzcnt -m[no-]popcnt -m[no-]movbe
-m[no-]aes -m[no-]vaes -m[no-]pclmul -m[no-]vpclmulqdq -m[no-]gfni -m[no-]sha -m[no-]crc32 -m[no-]adx
-m[no-]avx512f -m[no-]avx512vl -m[no-]avx512bw -m[no-]avx512dq -m[no-]avx512cd -m[no-]avx512ifma
-m[no-]avx512vbmi -m[no-]avx512vbmi2 -m[no-]avx512vnni -m[no-]avx512bitalg -m[no-]avx512vpopcntdq
-m[no-]avx512bf16 -m[no-]avx512fp16 -m[no-]avx512vp2intersect
-m[no-]avxvnni -m[no-]amx-tile -m[no-]amx-int8 -m[no-]amx-bf16
-m[no-]prfchw -m[no-]vzeroupper -m[no-]recip -m[no-]red-zone -m[no-]omit-leaf-frame-pointer
-m[no-]avx256-split-unaligned-load -m[no-]avx256-split-unaligned-store

-f[no-]fast-math -f[no-]math-errno -f[no-]trapping-math -f[no-]finite-math-only -f[no-]signed-zeros
-f[no-]associative-math -f[no-]reciprocal-math -f[no-]unsafe-math-optimizations -f[no-]rounding-math
-f[no-]signaling-nans -f[no-]cx-limited-range -f[no-]single-precision-constant
-ffp-contract=off -ffp-contract=on -ffp-contract=fast -fexcess-precision=fast
-f[no-]tree-vectorize -f[no-]tree-loop-vectorize -f[no-]tree-slp-vectorize -f[no-]openmp -f[no-]openmp-simd
-fvect-cost-model=unlimited -fvect-cost-model=dynamic -fvect-cost-model=cheap -fvect-cost-model=very-cheap
-fsimd-cost-model=unlimited -fsimd-cost-model=dynamic -fsimd-cost-model=cheap -fsimd-cost-model=very-cheap
-f[no-]unroll-loops -f[no-]unroll-all-loops -f[no-]peel-loops -f[no-]split-loops -f[no-]unswitch-loops
-f[no-]loop-interchange -f[no-]loop-unroll-and-jam -f[no-]loop-nest-optimize -f[no-]version-loops-for-strides
-f[no-]graphite -f[no-]graphite-identity -f[no-]loop-parallelize-all -ftree-parallelize-loops=<n>
-f[no-]tree-loop-distribution -f[no-]tree-loop-distribute-patterns -f[no-]tree-loop-im -f[no-]tree-loop-ivcanon
-f[no-]tree-loop-if-convert -f[no-]tree-loop-optimize -f[no-]ivopts -f[no-]move-loop-invariants
-f[no-]move-loop-stores -f[no-]finite-loops -f[no-]aggressive-loop-optimizations -f[no-]prefetch-loop-arrays
-f[no-]predictive-commoning -f[no-]split-ivs-in-unroller -f[no-]variable-expansion-in-unroller
-f[no-]modulo-sched -f[no-]modulo-sched-allow-regmoves -f[no-]schedule-insns -f[no-]schedule-insns2
-f[no-]sched-pressure -f[no-]sched-interblock -f[no-]sched-spec -f[no-]selective-scheduling
-f[no-]selective-scheduling2 -f[no-]rename-registers -f[no-]web -f[no-]tracer -f[no-]live-range-shrinkage
-f[no-]ira-hoist-pressure -f[no-]ira-loop-pressure -fira-algorithm=CB -fira-algorithm=priority
-fira-region=one -fira-region=all -fira-region=mixed -f[no-]lra-remat -f[no-]caller-saves
-f[no-]inline -f[no-]inline-functions -f[no-]inline-small-functions -f[no-]inline-functions-called-once
-f[no-]early-inlining -f[no-]indirect-inlining -f[no-]partial-inlining -finline-limit=<n>
-f[no-]ipa-cp -f[no-]ipa-cp-clone -f[no-]ipa-sra -f[no-]ipa-ra -f[no-]ipa-pta -f[no-]ipa-icf -f[no-]ipa-modref
-f[no-]devirtualize -f[no-]optimize-sibling-calls -f[no-]builtin -f[no-]semantic-interposition -f[no-]plt
-f[no-]gcse -f[no-]gcse-after-reload -f[no-]gcse-las -f[no-]gcse-sm -f[no-]cse-follow-jumps -f[no-]code-hoisting
-f[no-]tree-pre -f[no-]tree-partial-pre -f[no-]tree-fre -f[no-]tree-ccp -f[no-]tree-dce -f[no-]tree-dse
-f[no-]tree-sra -f[no-]tree-ter -f[no-]tree-vrp -f[no-]tree-reassoc -f[no-]tree-sink -f[no-]tree-slsr
-f[no-]tree-switch-conversion -f[no-]tree-tail-merge -f[no-]store-merging -f[no-]expensive-optimizations
-f[no-]if-conversion -f[no-]if-conversion2 -f[no-]jump-tables -f[no-]split-paths -f[no-]thread-jumps
-f[no-]reorder-blocks -f[no-]reorder-functions -f[no-]guess-branch-probability -f[no-]crossjumping
-f[no-]shrink-wrap -f[no-]omit-frame-pointer -f[no-]stack-protector -f[no-]asynchronous-unwind-tables
-f[no-]align-functions -f[no-]align-loops -f[no-]align-jumps -f[no-]align-labels
-falign-functions=<n> -falign-loops=<n> -falign-jumps=<n> -falign-labels=<n>
-f[no-]strict-aliasing -f[no-]strict-overflow -f[no-]strict-enums -f[no-]wrapv -f[no-]wrapv-pointer -f[no-]trapv
-f[no-]delete-null-pointer-checks -f[no-]exceptions -f[no-]non-call-exceptions -f[no-]rtti
-f[no-]threadsafe-statics -fconstexpr-loop-limit=<n> -fconstexpr-ops-limit=<n>
)";

constexpr std::string_view kCudaFlags =
    R"(arch=<n> arch=<n>a
-O -O0 -O1 -O2 -O3 -std=c++20 -D<name> -D<name>=<word> -Wno-<word>
-[-]use_fast_math -[-]fmad=true -[-]fmad=false -[-]ftz=true -[-]ftz=false
-[-]prec-div=true -[-]prec-div=false -[-]prec-sqrt=true -[-]prec-sqrt=false
-[-]maxrregcount=<n> -Xptxas=-O<n> -Xptxas=-dlcm=ca -Xptxas=-dlcm=cg
-[-]extra-device-vectorization -[-]restrict -[-]expt-relaxed-constexpr -[-]extended-lambda
-lineinfo
)";

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kName =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
constexpr std::string_view kWord =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.";

/// Takes what stands for <n>, <name> or <word> from the front of `flag`; false where nothing does.
bool take(std::string_view placeholder, std::string_view* flag) {
  const std::string_view characters = placeholder == "<n>"      ? kDigits
                                      : placeholder == "<name>" ? kName
                                                                : kWord;
  const size_t length = std::min(flag->find_first_not_of(characters), flag->size());
  flag->remove_prefix(length);
  return length > 0;
}

/// Whether `flag` is what an entry of the lists says.
bool is_said_by(std::string_view entry, std::string_view flag) {
  while (!entry.empty()) {
    if (entry.front() == '[') {
      const std::string_view optional = entry.substr(1, entry.find(']') - 1);
      if (flag.starts_with(optional)) flag.remove_prefix(optional.size());
      entry.remove_prefix(optional.size() + 2);
    } else if (entry.front() == '<') {
      const std::string_view placeholder = entry.substr(0, entry.find('>') + 1);
      if (!take(placeholder, &flag)) return false;
      entry.remove_prefix(placeholder.size());
    } else {
      if (flag.empty() || flag.front() != entry.front()) return false;
      entry.remove_prefix(1);
      flag.remove_prefix(1);
    }
  }
  return flag.empty();
}

}  // namespace

std::string_view allowed_flags(bool is_cuda) {
  return is_cuda ? kCudaFlags : kCpuFlags;
}

bool is_allowed_flag(std::string_view flag, bool is_cuda) {
  std::string_view entries = allowed_flags(is_cuda);
  while (!entries.empty()) {
    const size_t end = std::min(entries.find_first_of(" \n"), entries.size());
    if (end > 0 && is_said_by(entries.substr(0, end), flag)) return true;
    entries.remove_prefix(std::min(end + 1, entries.size()));
  }
  return false;
}

}  // namespace ridge::worker
