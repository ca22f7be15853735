#include "app/sweep/sweep_worker.h"

#include <utility>

namespace ridge::sweep {
namespace {

using app::WorkerState;

/// A host that says nothing for so long is not there.
constexpr double kHello_s = 20;

}  // namespace

Result<std::unique_ptr<SweepWorker>> SweepWorker::start(std::string name,
                                                        std::vector<std::string> command,
                                                        std::function<void()> wake) {
  app::Session::Options options;
  options.command = std::move(command);
  options.wake = std::move(wake);
  options.patience.hello_s = kHello_s;
  RIDGE_TRY(auto session, app::Session::start(std::move(options)));
  std::unique_ptr<SweepWorker> worker(new SweepWorker(std::move(name), std::move(session)));
  RIDGE_TRY(worker->list_, worker->session_->list());
  return worker;
}

std::optional<Error> SweepWorker::start_error() const {
  if (is_ready_ || session_->state() != WorkerState::lost) return std::nullopt;
  return Error{
      ErrorCode::worker, session_->reason(), name_,
      "try its command alone: it has to begin a ridgepoint-worker with --stdio and ask for "
      "no password"};
}

Result<std::optional<PointEnd>> SweepWorker::poll() {
  session_->poll();
  if (!is_ready_) {
    const Request* list = run().request(list_);
    is_ready_ = run().catalogue_complete() && list && !list->open();
    return std::optional<PointEnd>();
  }
  has_begun_ |= run().has_hello();
  return point_ ? end_point() : Result<std::optional<PointEnd>>(std::optional<PointEnd>());
}

Result<std::optional<PointEnd>> SweepWorker::end_point() {
  const Request* request = run().request(request_);
  const bool is_lost = session_->state() == WorkerState::lost;
  if (request && request->open() && !is_lost) return std::optional<PointEnd>();
  PointEnd end{.point = *std::exchange(point_, std::nullopt)};
  if (!is_lost && request && request->status == RequestStatus::ok) {
    RIDGE_TRY_VOID(write_lines());
    sources_.insert(kernel_);
    const Series* series = run().series_of_request(request_, 0);
    end.passed = series && series->status == SeriesStatus::ok;
    if (series && !end.passed) end.reason = series->reason;
    return std::optional<PointEnd>(std::move(end));
  }
  written_ = session_->line_count();  // no part of a point is kept
  end.has_begun = has_begun_;
  end.how = is_lost ? PointEnd::How::lost : PointEnd::How::failed;
  end.reason = is_lost                     ? session_->reason()
               : request && request->error ? request->error->sentence()
                                           : "it was cancelled";
  return std::optional<PointEnd>(std::move(end));
}

Result<void> SweepWorker::write_lines() {
  RIDGE_TRY(std::string text, session_->text_from(written_));
  RIDGE_TRY_VOID(file_.append(std::move(text)));
  written_ = session_->line_count();
  return {};
}

Result<void> SweepWorker::keep(PointFile file) {
  file_ = std::move(file);
  return write_lines();
}

bool SweepWorker::can(const Point& point) const {
  const KernelInfo* info = run().kernel(point.request.kernels.front().kernel);
  return info && info->available;
}

Result<void> SweepWorker::give(size_t index, const Point& point) {
  kernel_ = point.request.kernels.front().kernel;
  if (!sources_.contains(kernel_)) {
    RIDGE_TRY([[maybe_unused]] const int64_t source, session_->source(kernel_));
  }
  RIDGE_TRY(request_, session_->send(point.request));
  point_ = index;
  has_begun_ = run().has_hello();
  return {};
}

void SweepWorker::cancel() {
  if (point_) session_->cancel(request_);
}

Result<void> SweepWorker::close() {
  return file_.path().empty() ? Result<void>() : file_.close();
}

}  // namespace ridge::sweep
