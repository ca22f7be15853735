// A peer in another process that is not Python: one of our own kernels, speaking the lines of
// common/harness/measure/external.h. Its argument says how it misbehaves; "good": not at all.
//
//   silent    never says ready             endless   answers without end
//   dies      exits at its first call      killed    is killed in its first timing
//   hangs     never answers a call         junk      answers a call with nonsense
//   chatty    answers twice                wrong     forgets the last element
//   lies      says half of the time        clock     reads another clock
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"

namespace {

std::string mode;

struct Part {
  bool is_output = false;
  size_t at = 0, bytes = 0;
  void* own = nullptr;
};
struct Product {
  ridge::Shape shape;
  std::vector<Part> parts;

  void run() {
    std::vector<void*> pointers;
    for (const Part& part : parts) pointers.push_back(part.own);
    ridge::find_kernel("gemm.cpu.loop_order")->launch({.shape = shape, .buffers = pointers.data()});
  }
};

void answer(const std::string& text) {
  const std::string line = text + "\n";
  if (write(3, line.data(), line.size()) < 0) _exit(1);
}

long long now_ns(clockid_t clock) {
  timespec t = {};
  clock_gettime(clock, &t);
  return 1'000'000'000LL * t.tv_sec + t.tv_nsec;
}

Product prepared(std::istringstream& words) {
  Product product;
  std::string dtype, dims, word;
  words >> dtype >> dims;
  sscanf(dims.c_str(), "%ldx%ldx%ld", &product.shape.dim[0], &product.shape.dim[1],
         &product.shape.dim[2]);
  while (words >> word) {
    Part part;
    part.is_output = word.rfind("out:", 0) == 0;
    sscanf(word.c_str(), "%*[a-z]:%zu:%zu", &part.at, &part.bytes);
    part.own = aligned_alloc(4096, (part.bytes + 4095) / 4096 * 4096);
    product.parts.push_back(part);
  }
  return product;
}

void call(Product* product) {
  if (mode == "dies") _exit(3);
  if (mode == "hangs") pause();
  if (mode == "junk") return answer("bananas");
  const size_t bytes = product->parts.back().at + product->parts.back().bytes;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
  char* shared = static_cast<char*>(mapped);
  for (const Part& part : product->parts) memcpy(part.own, shared + part.at, part.bytes);
  product->run();
  for (const Part& part : product->parts) {
    const size_t kept = mode == "wrong" ? 4 : 0;
    if (part.is_output) memcpy(shared + part.at, part.own, part.bytes - kept);
  }
  munmap(mapped, bytes);
  answer(mode == "chatty" ? "ok\nok"
                          : "ok");  // at once: apart, the second may come after the next command
}

void timed(Product* product, long long calls) {
  if (mode == "killed") raise(SIGKILL);
  const clockid_t clock = mode == "clock" ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  const long long cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID), start = now_ns(clock);
  for (long long i = 0; i < calls; ++i) product->run();
  long long end = now_ns(clock);
  if (mode == "lies") end = start + (end - start) / 2;
  answer("ok " + std::to_string(start) + " " + std::to_string(end) + " " +
         std::to_string(now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu));
}

}  // namespace

int main(int argc, char** argv) {
  mode = argc > 1 ? argv[1] : "good";
  if (mode == "silent") pause();
  while (mode == "endless") (void)!write(3, "endless ", 8);
  answer("ready");
  std::map<std::string, Product> products;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb, number;
    words >> verb >> number;
    if (verb == "prepare") {
      products[number] = prepared(words);
      answer("ok");
    } else if (verb == "call") {
      call(&products[number]);
    } else if (verb == "time") {
      long long calls = 0;
      words >> calls;
      timed(&products[number], calls);
    } else if (verb == "release") {
      for (const Part& part : products[number].parts) free(part.own);
      products.erase(number);
      answer("ok");
    }
  }
}
