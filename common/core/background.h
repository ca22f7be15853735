// Work beside the thread that asks for it. A program has threads; a page in a browser has one, which does the work when
// its result is asked for.
#pragma once

#include <chrono>
#include <future>
#include <utility>

namespace ridge {

/// Whether this program starts threads. A page's window does not; whether its worker does, the next function says.
bool has_threads();

/// Whether a worker of this machine has threads: for its server, and for rungs that share out their work. False on a page that
/// is not isolated (docs/web.md).
bool worker_has_threads();

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
