// One worker of a sweep: its session, the point that it is at, and the transcript that whole points go to.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/sweep/sweep_folder.h"
#include "app/sweep/sweep_plan.h"

namespace ridge::sweep {

/// How a point ended.
struct PointEnd {
  enum class How {
    measured,  ///< it is in the transcript
    failed,    ///< the worker says why it cannot be measured
    lost       ///< with its worker
  };
  size_t point = 0;
  How how = How::measured;
  std::string reason{};
  bool has_begun = true;  ///< false: the worker was lost before it said hello, so not by the point
  bool passed = true;     ///< its check
};

class SweepWorker {
 public:
  /// `command`: empty, the worker beside this program. `wake`: as Session::Options.
  static Result<std::unique_ptr<SweepWorker>> start(std::string name,
                                                    std::vector<std::string> command,
                                                    std::function<void()> wake);

  /// What has arrived. The end of the point that it is at, once.
  Result<std::optional<PointEnd>> poll();
  /// Its catalogue is here; until then, and while it is at a point, it takes none.
  bool is_ready() const { return is_ready_; }
  bool is_free() const { return is_ready_ && !point_; }
  /// It was lost before it was ready.
  std::optional<Error> start_error() const;
  /// From now on its points are kept: begins with what it said until now.
  Result<void> keep(PointFile file);
  Result<void> give(size_t index, const Point& point);
  /// Whether it has the point's rung.
  bool can(const Point& point) const;
  void cancel();
  Result<void> close();

  const Run& run() const { return session_->run(); }
  const std::string& name() const { return name_; }
  const std::string& transcript() const { return file_.path(); }

 private:
  SweepWorker(std::string name, std::unique_ptr<app::Session> session)
      : name_(std::move(name)), session_(std::move(session)) {}
  Result<void> write_lines();
  Result<std::optional<PointEnd>> end_point();

  std::string name_;
  std::unique_ptr<app::Session> session_;
  PointFile file_;
  size_t written_ = 0;  ///< lines of the session that are in the file or are left out
  int64_t list_ = 0, request_ = 0;
  std::optional<size_t> point_;
  std::set<std::string> sources_;  ///< rungs whose source is in the file
  std::string kernel_;             ///< of the point
  bool is_ready_ = false;
  bool has_begun_ = false;  ///< the worker has said hello since it was given the point
};

}  // namespace ridge::sweep
