#include "worker/line_observer.h"

#include <nlohmann/json.hpp>

#include "common/harness/measure/machine.h"

namespace ridge::worker {
namespace {

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
  between_blocks();
}

void LineObserver::problem(const Series& series) {
  const Json whole = series;
  Json known = Json::object();
  for (const char* name : {"kind", "dtype", "params", "reduced_from", "flop", "bytes_min",
                           "bytes_written", "work", "memory_bytes", "note", "command"}) {
    if (whole.contains(name)) known[name] = whole[name];
  }
  Json fields = head(series.index);
  fields["problem"] = std::move(known);
  emitter_->emit("problem", std::move(fields));
}

void LineObserver::check(int series, const QualityCheck& check) {
  Json fields = head(series);
  fields["check"] = check;
  emitter_->emit("check", std::move(fields));
  between_blocks();
}

void LineObserver::announce(int series) {
  if (sampler_) sampler_->hold();
  emitter_->announce(head(series));
}

void LineObserver::samples(int series, const char* kind, std::span<const Sample> samples) {
  Json fields = head(series);
  fields["phase"] = kind;
  emitter_->emit_list("samples", fields, "samples", list_of(samples));
  between_blocks();
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

void LineObserver::start_telemetry(measure::Device* gpu) {
  sampler_.emplace(measure::system_root(), gpu, [emitter = emitter_](const TelemetryPoint& point) {
    emitter->emit("telemetry", Json(point));
  });
}

void LineObserver::between_blocks() {
  if (sampler_) sampler_->release();
}

}  // namespace ridge::worker
