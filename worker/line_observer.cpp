#include "worker/line_observer.h"

#include <time.h>

#include <nlohmann/json.hpp>

namespace ridge::worker {
namespace {

constexpr double kTelemetry_s = 0.1;

double clock_s(clockid_t clock) {
  timespec t = {};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class T>
Json list_of(std::span<const T> values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(Json(value));
  return list;
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

Json LineObserver::head(int series) const {
  Json fields = {{"request", request_}};
  if (series >= 0) fields["series"] = series;
  return fields;
}

void LineObserver::phase(int series, const measure::Phase& phase) {
  Json fields = head(series);
  fields["phase"] = phase.phase;
  fields["text"] = phase.text;
  fields["open"] = phase.open;
  fields["progress"] = or_null(phase.progress);
  fields["median_ns"] = or_null(phase.median_ns);
  fields["ci_ns"] = phase.ci_ns ? Json(*phase.ci_ns) : Json(nullptr);
  fields["left_s"] = or_null(phase.left_s);
  emitter_->emit_droppable("phase", std::move(fields));
}

void LineObserver::check(int series, const QualityCheck& check) {
  Json fields = head(series);
  fields["check"] = check;
  emitter_->emit("check", std::move(fields));
}

void LineObserver::announce(int series) {
  emitter_->announce(head(series));
}

void LineObserver::samples(int series, const char* kind, std::span<const Sample> samples) {
  Json fields = head(series);
  fields["phase"] = kind;
  emitter_->emit_list("samples", fields, "samples", list_of(samples));
  telemetry();
}

void LineObserver::rounds(std::span<const Round> rounds) {
  Json fields = head(-1);
  fields["phase"] = "rounds";
  emitter_->emit_list("samples", fields, "rounds", list_of(rounds));
}

void LineObserver::curve(int series, std::span<const CurvePoint> points) {
  emitter_->emit_list("curve", head(series), "points", list_of(points));
}

void LineObserver::spans(int series, std::span<const Span> spans) {
  emitter_->emit_list("span", head(series), "spans", list_of(spans));
}

void LineObserver::telemetry() {
  const double wall = clock_s(CLOCK_MONOTONIC);
  if (wall - wall_s_ < kTelemetry_s) return;
  const double cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
  std::map<std::string, double> values;
  if (telemetry_) values = telemetry_();
  if (wall_s_ > 0) {
    values["process_cpus"] = (cpu - cpu_s_) / (wall - wall_s_);
    if (const double foreign = foreign_.cpus(); foreign >= 0) values["foreign_cpus"] = foreign;
  }
  wall_s_ = wall;
  cpu_s_ = cpu;
  foreign_.start();
  if (!values.empty()) emitter_->emit("telemetry", {{"t_s", wall}, {"values", values}});
}

}  // namespace ridge::worker
