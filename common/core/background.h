// Work beside the thread that asks for it. A program has threads; a page in a browser has one, which does the work when
// its result is asked for.
#pragma once

#include <chrono>
#include <future>
#include <utility>

namespace ridge {

/// Whether std::thread can be started here; a page's worker, whose main() knows, is apart.
bool has_threads();

/// Why rungs have one thread here, however many cores there are; empty: they have as many as cores.
const char* one_thread_reason();

/// Starts it on a thread of its own; without threads take it with is_ready() and get(), where get() does the work.
template <class Work>
auto in_background(Work work) {
  return std::async(has_threads() ? std::launch::async : std::launch::deferred, std::move(work));
}

/// Whether get() has something to give: the result, or the work where there are no threads.
template <class T>
bool is_ready(const std::future<T>& result) {
  return result.valid() && result.wait_for(std::chrono::seconds(0)) != std::future_status::timeout;
}

}  // namespace ridge
