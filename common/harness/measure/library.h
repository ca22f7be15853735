// A side of the user's own library (include/ridgepoint.h), loaded into a process of its own that its own starter starts:
// limited and ended as a command is. The process stays for the whole comparison, and sleeps while another side is timed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/command_start.h"
#include "common/harness/measure/starter.h"
#include "common/record/types.h"

namespace ridge::measure {

/// Where a side's code is.
struct LibraryFile {
  std::string path;  ///< with a slash: nothing is looked for on a search path
  std::string side;  ///< the constant that it exports
  std::string note;  ///< how it was compiled; empty: not by us
};

class Library {
 public:
  Library(std::string name, LibraryFile file, double call_limit_s, std::function<bool()> cancelled);

  /// Loads and prepares it. Errors: unavailable, it is no library of this ABI; invalid, its prepare failed.
  Result<void> load();
  /// `calls` runs in a row: the time of one. Errors of this and all below: invalid, it failed, crashed, or took too
  /// long (then it is gone for good); cancelled.
  Result<Sample> time(int64_t calls);
  /// The output of one run over each of two poisons; invalid where bytes of it are in neither written.
  Result<std::string> output();
  Result<std::string> reference();
  /// Why this output is wrong, as its check says; empty: it is right.
  Result<std::string> check(const std::string& output);
  Result<void> teardown();

  const std::string& name() const { return name_; }
  const LibraryAnswer& facts() const { return facts_; }  ///< after load()
  double peak_bytes() const { return peak_bytes_; }

 private:
  /// `what` names the task in an error.
  Result<LibraryAnswer> ask(const LibraryAsk& asked, const std::string& what,
                            std::string* said = nullptr);
  Result<std::string> poisoned_output(int poison);
  Error gone(const std::string& what, Starter::Stopped why);

  std::string name_;
  LibraryFile file_;
  Starter starter_;
  Started process_;
  LibraryAnswer facts_;
  double peak_bytes_ = 0;
};

/// Who judges the outputs of a comparison's libraries: the first with a reference or a check.
class LibraryJudge {
 public:
  /// Chooses, and asks for the reference. Error invalid: the judge has failed; usage: outputs of different sizes.
  Result<void> choose(const std::vector<std::unique_ptr<Library>>& libraries);
  bool is_there() const { return judge_ != nullptr; }
  /// "the reference of NAME", "the check of NAME".
  std::string title() const;
  /// Puts what was compared, and the reason where it is wrong, into `check`. Errors: as Library's.
  Result<void> judge(const std::string& output, QualityCheck* check);

 private:
  Library* judge_ = nullptr;
  std::string reference_;  ///< its bytes; empty: none
};

}  // namespace ridge::measure
