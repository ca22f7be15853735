#include "worker/emulated/fibre.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace ridge::emulated {

Stacks::Stacks(size_t count, size_t bytes) : count_(count), bytes_(bytes) {
  void* memory = mmap(nullptr, count * bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();  // address space alone is asked for
  memory_ = static_cast<char*>(memory);
  for (size_t i = 0; i < count; ++i) mprotect(begin(i), 4096, PROT_NONE);
}

Stacks::~Stacks() {
  munmap(memory_, count_ * bytes_);
}

#ifdef __x86_64__

extern "C" void ridge_switch_stack(void** from, void* to);
// What the System V ABI has a callee preserve. The control words of the floating point units are the same everywhere.
asm(R"(
.text
.local ridge_switch_stack
.type ridge_switch_stack, @function
ridge_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ridge_switch_stack, . - ridge_switch_stack
)");

Context new_context(char* stack, size_t bytes, void (*start)()) {
  auto* top = reinterpret_cast<uint64_t*>(stack + bytes);
  *--top = 0;  // start() begins as if called: 8 bytes past a multiple of 16
  *--top = reinterpret_cast<uint64_t>(start);
  for (int i = 0; i < 6; ++i) *--top = 0;
  return {top};
}

void switch_context(Context* from, const Context& to) {
  ridge_switch_stack(&from->stack, to.stack);
}

#else

namespace {
/// `stack` of a Context is the ucontext_t itself, which lies at the top of its own stack or, a core's, on its frame.
ucontext_t* of(const Context& context) {
  return static_cast<ucontext_t*>(context.stack);
}
}  // namespace

Context new_context(char* stack, size_t bytes, void (*start)()) {
  const size_t place = (bytes - sizeof(ucontext_t)) & ~size_t{63};
  auto* made = reinterpret_cast<ucontext_t*>(stack + place);
  getcontext(made);
  made->uc_stack.ss_sp = stack;
  made->uc_stack.ss_size = place;
  made->uc_link = nullptr;
  makecontext(made, start, 0);
  return {made};
}

void switch_context(Context* from, const Context& to) {
  ucontext_t here;
  from->stack = &here;
  swapcontext(&here, of(to));
}

#endif

}  // namespace ridge::emulated
