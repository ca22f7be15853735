// JSON forms of common/record/types.h, as in docs/protocol.md. Reading is tolerant: unknown fields
// are ignored and missing ones keep their defaults; a field of the wrong kind counts as missing.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/core/result.h"
#include "common/record/edit.h"
#include "common/record/inspection.h"
#include "common/record/kernel_counts.h"
#include "common/record/types.h"

namespace ridge {

using Json = nlohmann::json;

/// Parses one JSON text without exceptions; the error names the byte.
Result<Json> parse_json(const std::string& text, const std::string& where);
/// Compact, one line; invalid UTF-8 is replaced, so that no kernel's text can break the stream.
std::string dump_json(const Json& json);

// to_json/from_json pairs, found by nlohmann through argument-dependent look-up.
#define RIDGE_JSON_PAIR(type)              \
  void to_json(Json& json, const type& v); \
  void from_json(const Json& json, type& v)

RIDGE_JSON_PAIR(ParamSpec);
RIDGE_JSON_PAIR(Sample);
RIDGE_JSON_PAIR(Interval);
RIDGE_JSON_PAIR(Stats);
RIDGE_JSON_PAIR(LatencyStats);
RIDGE_JSON_PAIR(ErrorMap);
RIDGE_JSON_PAIR(QualityCheck);
RIDGE_JSON_PAIR(CpuInfo);
RIDGE_JSON_PAIR(GpuInfo);
RIDGE_JSON_PAIR(QuietState);
RIDGE_JSON_PAIR(Environment);
RIDGE_JSON_PAIR(Ceiling);
RIDGE_JSON_PAIR(KernelInfo);
RIDGE_JSON_PAIR(SourceText);
RIDGE_JSON_PAIR(AssemblyText);
RIDGE_JSON_PAIR(Utilization);
RIDGE_JSON_PAIR(DeviceKernel);
RIDGE_JSON_PAIR(Resources);
RIDGE_JSON_PAIR(Counter);
RIDGE_JSON_PAIR(CurvePoint);
RIDGE_JSON_PAIR(TelemetryPoint);
RIDGE_JSON_PAIR(Span);
RIDGE_JSON_PAIR(TrapFigure);
RIDGE_JSON_PAIR(TrapOutcome);
RIDGE_JSON_PAIR(StageTime);
RIDGE_JSON_PAIR(PipelineOutcome);
RIDGE_JSON_PAIR(CommandFacts);
RIDGE_JSON_PAIR(Series);  // without samples, latency_samples, curve and spans
RIDGE_JSON_PAIR(Round);
RIDGE_JSON_PAIR(PairedVerdict);
RIDGE_JSON_PAIR(SustainedSide);
RIDGE_JSON_PAIR(TrainedSide);
RIDGE_JSON_PAIR(TrainedPairs);
RIDGE_JSON_PAIR(Comparison);
RIDGE_JSON_PAIR(PlaneMark);
RIDGE_JSON_PAIR(WalkCache);
RIDGE_JSON_PAIR(WalkPlane);
RIDGE_JSON_PAIR(WalkFrame);
RIDGE_JSON_PAIR(Walk);
RIDGE_JSON_PAIR(KernelLane);
RIDGE_JSON_PAIR(KernelLanes);
RIDGE_JSON_PAIR(InspectionPlane);
RIDGE_JSON_PAIR(ModelAnswer);
RIDGE_JSON_PAIR(Inspection);
RIDGE_JSON_PAIR(MemoryTraffic);
RIDGE_JSON_PAIR(SiteCounts);
RIDGE_JSON_PAIR(LineCounts);
RIDGE_JSON_PAIR(CountedFault);
RIDGE_JSON_PAIR(CountedLaunch);
RIDGE_JSON_PAIR(WarpRequest);
RIDGE_JSON_PAIR(WarpSteps);
RIDGE_JSON_PAIR(KernelCounts);
RIDGE_JSON_PAIR(CompileMessage);
RIDGE_JSON_PAIR(EditBuild);
RIDGE_JSON_PAIR(Error);
#undef RIDGE_JSON_PAIR

/// As its table spells it; without these it would be written as a number.
template <HasNames Enum>
void to_json(Json& json, Enum value) {
  json = to_string(value);
}
template <class Enum>
void to_json(Json& json, const OpenEnum<Enum>& value) {
  json = value.text();
}

/// One field, tolerantly: the fallback where it is missing or of the wrong kind.
std::string text_field(const Json& object, const char* name, const std::string& fallback = "");
int64_t whole_field(const Json& object, const char* name, int64_t fallback = 0);
std::optional<double> number_field(const Json& object, const char* name);
/// Null where the field is missing or of another kind.
const Json* list_field(const Json& object, const char* name);
const Json* object_field(const Json& object, const char* name);

Json params_to_json(const Params& params);
Params params_from_json(const Json& json);

}  // namespace ridge
