// The enumerations that lines and files spell out, each with its table of names (docs/protocol.md).
#pragma once

#include "common/core/backend.h"
#include "common/core/enum_table.h"

namespace ridge {

template <>
struct EnumTable<Backend> {
  static constexpr EnumName<Backend> kRows[] = {{Backend::cpu, "cpu"}, {Backend::cuda, "cuda"}};
};

/// What a rung is: how it is measured, and by what it is judged. A command is a program of the user's, in no catalogue.
enum class RungKind { kernel, training, pipeline, trap, command };
template <>
struct EnumTable<RungKind> {
  static constexpr EnumName<RungKind> kRows[] = {{RungKind::kernel, "kernel"},
                                                 {RungKind::training, "training"},
                                                 {RungKind::pipeline, "pipeline"},
                                                 {RungKind::trap, "trap"},
                                                 {RungKind::command, "command"}};
};

/// The state of the caches before each call.
enum class CacheMode { hot, cold };
template <>
struct EnumTable<CacheMode> {
  static constexpr EnumName<CacheMode> kRows[] = {{CacheMode::hot, "hot"},
                                                  {CacheMode::cold, "cold"}};
};

/// How a series is measured: a first look, in full, or as a side of a comparison.
enum class RunMode { live, measure, compare };
template <>
struct EnumTable<RunMode> {
  static constexpr EnumName<RunMode> kRows[] = {
      {RunMode::live, "live"}, {RunMode::measure, "measure"}, {RunMode::compare, "compare"}};
};

/// The lines of the app. Those up to `serve` are requests: the worker takes them in order and ends each with
/// `done`. The others act at once; `lost` stands in a transcript alone, where its worker ended.
enum class RequestType {
  list,
  source,
  assembly,
  build,
  probe,
  run,
  compare,
  inspect,
  serve,
  count,
  ping,
  ack,
  cancel,
  quit,
  predict,
  learner,
  note,
  lost
};
template <>
struct EnumTable<RequestType> {
  static constexpr EnumName<RequestType> kRows[] = {
      {RequestType::list, "list"},         {RequestType::source, "source"},
      {RequestType::assembly, "assembly"}, {RequestType::build, "build"},
      {RequestType::probe, "probe"},       {RequestType::run, "run"},
      {RequestType::compare, "compare"},   {RequestType::inspect, "inspect"},
      {RequestType::serve, "serve"},       {RequestType::count, "count"},
      {RequestType::ping, "ping"},         {RequestType::ack, "ack"},
      {RequestType::cancel, "cancel"},     {RequestType::quit, "quit"},
      {RequestType::predict, "predict"},   {RequestType::learner, "learner"},
      {RequestType::note, "note"},         {RequestType::lost, "lost"}};
};

/// Whether `done` ends it.
constexpr bool is_request(RequestType type) {
  return type <= RequestType::count;
}
/// Whether it names rungs and how to measure them: a WorkRequest.
constexpr bool is_work(RequestType type) {
  return type >= RequestType::probe && type <= RequestType::count;
}

/// How a request ended.
enum class RequestStatus { open, ok, cancelled, failed };
template <>
struct EnumTable<RequestStatus> {
  static constexpr EnumName<RequestStatus> kRows[] = {{RequestStatus::open, ""},
                                                      {RequestStatus::ok, "ok"},
                                                      {RequestStatus::cancelled, "cancelled"},
                                                      {RequestStatus::failed, "failed"}};
};

enum class SeriesStatus { pending, running, ok, failed, skipped, cancelled, partial };
template <>
struct EnumTable<SeriesStatus> {
  static constexpr EnumName<SeriesStatus> kRows[] = {
      {SeriesStatus::pending, "pending"}, {SeriesStatus::running, "running"},
      {SeriesStatus::ok, "ok"},           {SeriesStatus::failed, "failed"},
      {SeriesStatus::skipped, "skipped"}, {SeriesStatus::cancelled, "cancelled"},
      {SeriesStatus::partial, "partial"}};
};

enum class Verdict { faster, slower, same, unresolved, invalid };
template <>
struct EnumTable<Verdict> {
  static constexpr EnumName<Verdict> kRows[] = {{Verdict::faster, "faster"},
                                                {Verdict::slower, "slower"},
                                                {Verdict::same, "same"},
                                                {Verdict::unresolved, "unresolved"},
                                                {Verdict::invalid, "invalid"}};
};

}  // namespace ridge
