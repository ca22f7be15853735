// A session as a command drives it: wait for this, show progress, obey Ctrl+C, and write every line
// to the output file as it comes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/cli/cli.h"
#include "app/cli/progress.h"
#include "app/session/session.h"
#include "app/session/transcript_file.h"

namespace ridge::app {

class Driver {
 public:
  /// Opens `out` (may be empty) before anything is started, starts the worker, waits for its hello.
  static Result<std::unique_ptr<Driver>> start(const CommonOptions& common, const std::string& out);

  /// Waits until request `id` is done. Errors: worker lost, cancelled, or what the worker said.
  /// What was measured until then stays in run().
  Result<void> finish(int64_t id, const std::function<void()>& each_step = {});
  /// list, and wait for it.
  Result<void> fetch_catalogue();
  /// Has the worker build a learner's text; the EditBuild says whether it could.
  Result<EditBuild> build(const std::string& kernel, const std::string& dtype,
                          const std::string& text);
  Result<void> fetch_assembly(const std::string& kernel);
  /// The ceilings of this machine, and the environment that comes with them.
  Result<void> fetch_ceilings(int device);
  /// The sources of the kernels: for the transcript.
  Result<void> fetch_sources(const std::vector<KernelRequest>& kernels);
  /// Sends the request and waits for it.
  Result<void> carry_out(WorkRequest request, int64_t* id,
                         const std::function<void()>& each_step = {});
  /// Completes the output file; true if there is one. To be called whatever happened before.
  Result<bool> close_file();

  const Run& run() const { return session_->run(); }

 private:
  Driver(std::unique_ptr<Session> session, std::optional<GrowingFile> file);
  Result<void> await_hello();
  void step();

  std::unique_ptr<Session> session_;
  std::optional<GrowingFile> file_;
  std::optional<Error> file_error_;
  ProgressLine progress_;
};

/// How often Ctrl+C was pressed (SIGINT, SIGTERM, SIGHUP) since the handler was set.
int interrupts();
/// From now on an interrupt is counted instead of ending the program; the third one ends it.
void catch_interrupts();

}  // namespace ridge::app
