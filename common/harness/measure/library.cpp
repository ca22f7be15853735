#include "common/harness/measure/library.h"

#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/core/format.h"
#include "common/harness/measure/child.h"
#include "common/harness/measure/observer.h"
#include "common/record/command.h"
#include "include/ridgepoint.h"

namespace ridge::measure {
namespace {

constexpr int64_t kMostLibraryOutput_bytes = int64_t{1} << 30;
constexpr size_t kSentence = 300;  // code points
constexpr uint32_t kMostText_bytes = 4096;
/// As floats they are a NaN and a number of 10^38; as any type, values that hardly are a result.
constexpr int kFirstPoison = 0xff, kSecondPoison = 0x7f;

/// Nothing is waited for: an answer is one write.
bool read_whole(int socket, void* to, size_t bytes) {
  return ::recv(socket, to, bytes, MSG_DONTWAIT) == static_cast<ssize_t>(bytes);
}

/// Largest |out - reference| over largest |reference|; counts where only one of them is finite.
template <class T>
double largest_error(const std::string& output, const std::string& reference, QualityCheck* check) {
  double error = 0, scale = 0;
  for (size_t at = 0; at + sizeof(T) <= reference.size(); at += sizeof(T)) {
    T out, ref;
    std::memcpy(&out, output.data() + at, sizeof out);
    std::memcpy(&ref, reference.data() + at, sizeof ref);
    if (std::isfinite(ref)) scale = std::max(scale, std::abs(double(ref)));
    if (std::isfinite(out) && std::isfinite(ref)) {
      error = std::max(error, std::abs(double(out) - double(ref)));
    } else {
      const bool is_same = out == ref || (std::isnan(out) && std::isnan(ref));
      check->nan_count += !is_same;
    }
  }
  check->checked = int64_t(reference.size() / sizeof(T));
  check->max_abs = error;
  return error == 0 ? 0 : error / scale;
}

}  // namespace

Library::Library(std::string name, LibraryFile file, double call_limit_s,
                 std::function<bool()> cancelled)
    : name_(std::move(name)),
      file_(std::move(file)),
      starter_(call_limit_s, std::move(cancelled)) {}

/// Ended, or of no more use.
Error Library::gone(const std::string& what, Starter::Stopped why) {
  ::kill(-process_.pid, SIGKILL);
  ::kill(process_.pid, SIGKILL);
  const auto end = starter_.reap(process_);
  count_child(process_.pid, false);
  const Started process = process_;
  process_.pid = -1;
  if (!end) return end.error();
  return starter_.ending_error(process, what, why, end->reaped.status);
}

Result<LibraryAnswer> Library::ask(const LibraryAsk& asked, const std::string& what,
                                   std::string* said) {
  starter_.errors().empty();
  if (process_.pid <= 0) return Error{ErrorCode::invalid, "its process has ended", name_, ""};
  const std::string bytes(reinterpret_cast<const char*>(&asked), sizeof asked);
  const bool is_sent = send_whole(starter_.talk(), bytes);
  const Starter::Stopped why = starter_.wait(process_, starter_.out(), kMostLibraryOutput_bytes,
                                             is_sent ? starter_.talk() : -1);
  LibraryAnswer answer;
  if (why != Starter::Stopped::no || !is_sent ||
      !read_whole(starter_.talk(), &answer, sizeof answer))
    return gone(what, why);
  std::string text(std::min(answer.text_bytes, kMostText_bytes), '\0');
  if (!text.empty() && !read_whole(starter_.talk(), text.data(), text.size()))
    return gone(what, why);
  peak_bytes_ = std::max(peak_bytes_, answer.peak_bytes);
  text = one_line(text, kSentence);
  if (answer.fault == LibraryFault::not_loaded)
    return Error{ErrorCode::unavailable, std::move(text), name_, ""};
  if (answer.fault != LibraryFault::none && said == nullptr)
    return Error{ErrorCode::invalid, std::move(text), name_, ""};
  if (said != nullptr) *said = std::move(text);
  return answer;
}

Result<void> Library::load() {
  RIDGE_TRY_VOID(starter_.open());
  RIDGE_TRY(process_, starter_.begin(name_, starter_.path(),
                                     {kLibraryOption, file_.path, file_.side}, {.talks = 1}));
  count_child(process_.pid, true);
  RIDGE_TRY(facts_, ask({.task = LibraryTask::load}, "its loading"));
  return {};
}

Result<Sample> Library::time(int64_t calls) {
  RIDGE_TRY(const LibraryAnswer answer,
            ask({.task = LibraryTask::time, .calls = calls}, "its run"));
  Sample sample;
  sample.t_ns = answer.t_ns;
  sample.cpu_ns = answer.cpu_ns;
  sample.calls = calls;
  return sample;
}

Result<std::string> Library::poisoned_output(int poison) {
  RIDGE_TRY_VOID(ask({.task = LibraryTask::output, .poison = poison}, "its run"));
  return starter_.out().read();
}

Result<std::string> Library::output() {
  RIDGE_TRY(const std::string first, poisoned_output(kFirstPoison));
  RIDGE_TRY(std::string second, poisoned_output(kSecondPoison));
  int64_t unwritten = 0;
  for (size_t i = 0; i < second.size(); ++i)
    unwritten += first[i] == char(kFirstPoison) && second[i] == char(kSecondPoison);
  if (unwritten == 0) return second;
  return Error{ErrorCode::invalid,
               "its run left " + std::to_string(unwritten) + " of the " +
                   std::to_string(second.size()) + " bytes of its output as they were",
               name_, ""};
}

Result<std::string> Library::reference() {
  RIDGE_TRY_VOID(ask({.task = LibraryTask::reference}, "its reference"));
  return starter_.out().read();
}

Result<std::string> Library::check(const std::string& output) {
  RIDGE_TRY_VOID(starter_.out().write(output));
  std::string said;
  RIDGE_TRY(const LibraryAnswer answer, ask({.task = LibraryTask::check}, "its check", &said));
  return answer.fault == LibraryFault::none ? std::string() : said;
}

Result<void> Library::teardown() {
  RIDGE_TRY_VOID(ask({.task = LibraryTask::teardown}, "its teardown"));
  return {};
}

// ---- the judge -----------------------------------------------------------------------------------

Result<void> LibraryJudge::choose(const std::vector<std::unique_ptr<Library>>& libraries) {
  for (const auto& library : libraries) {
    const LibraryAnswer &facts = library->facts(), &first = libraries.front()->facts();
    if (facts.output_bytes != first.output_bytes) {
      return Error{ErrorCode::usage,
                   "its output has " + std::to_string(facts.output_bytes) + " bytes, that of " +
                       libraries.front()->name() + " " + std::to_string(first.output_bytes),
                   library->name(), "give sides that do the same work"};
    }
    if (judge_ == nullptr && (facts.has_reference != 0 || facts.has_check != 0))
      judge_ = library.get();
  }
  if (judge_ == nullptr || judge_->facts().has_reference == 0) return {};
  RIDGE_TRY(reference_, judge_->reference());
  return {};
}

std::string LibraryJudge::title() const {
  const bool has_check = judge_->facts().has_check != 0;
  return std::string(reference_.empty() ? "the check"
                     : has_check        ? "the reference and the check"
                                        : "the reference") +
         " of " + judge_->name();
}

Result<void> LibraryJudge::judge(const std::string& output, QualityCheck* check) {
  const LibraryAnswer& facts = judge_->facts();
  check->checked = int64_t(output.size());
  if (!reference_.empty() && facts.elements == RIDGEPOINT_BYTES) {
    const size_t at = size_t(std::mismatch(output.begin(), output.end(), reference_.begin()).first -
                             output.begin());
    if (at < output.size())
      check->reason = "its output differs from " + title() + " at byte " + std::to_string(at + 1);
  } else if (!reference_.empty()) {
    const double error = facts.elements == RIDGEPOINT_F32
                             ? largest_error<float>(output, reference_, check)
                             : largest_error<double>(output, reference_, check);
    if (check->nan_count > 0) {
      check->reason = std::to_string(check->nan_count) + " elements are NaN or infinite where " +
                      title() + " is not, or the reverse";
    } else if (!(error <= facts.tolerance)) {
      check->reason = "its output differs from " + title() + " by " + format_scientific(error) +
                      " of its largest element, and " + format_scientific(facts.tolerance) +
                      " is allowed";
    }
  }
  if (check->reason.empty() && facts.has_check != 0) {
    RIDGE_TRY(check->reason, judge_->check(output));
  }
  return {};
}

}  // namespace ridge::measure
