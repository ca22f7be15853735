#include "common/harness/measure/cuda/cupti_counters.h"

#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cmath>
#include <cstdlib>

#include "common/core/shared_library.h"
#include "common/harness/measure/cuda/check.h"
#include "common/harness/measure/cuda/driver.h"

namespace ridge::measure {
namespace {

/// More passes than any list of metrics here needs: a profiler that never ends is stopped.
constexpr int kMaxPasses = 100;

struct Library : SharedLibrary {
  decltype(&cuptiGetResultString) result_string = nullptr;
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiDeviceGetChipName) chip_name = nullptr;
  decltype(&cuptiProfilerGetCounterAvailability) availability = nullptr;
  decltype(&cuptiProfilerHostInitialize) host_initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialize = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) config_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) config_image = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;
  decltype(&cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) data_initialize = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) start = nullptr;
  decltype(&cuptiRangeProfilerStop) stop = nullptr;
  decltype(&cuptiRangeProfilerPushRange) push = nullptr;
  decltype(&cuptiRangeProfilerPopRange) pop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) decode = nullptr;
  bool complete = false;

  Library() {
    std::vector<std::string> places = {"libcupti.so." + std::to_string(CUDART_VERSION / 1000),
                                       "libcupti.so"};
    const char* home = std::getenv("CUDA_HOME");
    for (const std::string root : {home != nullptr ? home : "/usr/local/cuda", "/usr/local/cuda"}) {
      places.push_back(root + "/extras/CUPTI/lib64/libcupti.so");
      places.push_back(root + "/lib64/libcupti.so");
    }
    if (!open(places)) return;
    complete =
        find(&result_string, "cuptiGetResultString") &&
        find(&initialize, "cuptiProfilerInitialize") &&
        find(&chip_name, "cuptiDeviceGetChipName") &&
        find(&availability, "cuptiProfilerGetCounterAvailability") &&
        find(&host_initialize, "cuptiProfilerHostInitialize") &&
        find(&host_deinitialize, "cuptiProfilerHostDeinitialize") &&
        find(&add_metrics, "cuptiProfilerHostConfigAddMetrics") &&
        find(&config_size, "cuptiProfilerHostGetConfigImageSize") &&
        find(&config_image, "cuptiProfilerHostGetConfigImage") &&
        find(&evaluate, "cuptiProfilerHostEvaluateToGpuValues") &&
        find(&enable, "cuptiRangeProfilerEnable") && find(&disable, "cuptiRangeProfilerDisable") &&
        find(&data_size, "cuptiRangeProfilerGetCounterDataSize") &&
        find(&data_initialize, "cuptiRangeProfilerCounterDataImageInitialize") &&
        find(&set_config, "cuptiRangeProfilerSetConfig") &&
        find(&start, "cuptiRangeProfilerStart") && find(&stop, "cuptiRangeProfilerStop") &&
        find(&push, "cuptiRangeProfilerPushRange") && find(&pop, "cuptiRangeProfilerPopRange") &&
        find(&decode, "cuptiRangeProfilerDecodeData");
  }
};

const Library& cupti() {
  static const Library loaded;
  return loaded;
}

Error refusal(CUptiResult result, const char* call) {
  Error error{ErrorCode::unavailable, "", "CUPTI", ""};
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
      result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
    error.what = "the driver keeps GPU counters to administrators (ERR_NVGPUCTRPERM)";
    error.hint =
        "load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0, or in a container "
        "--cap-add SYS_ADMIN";
    return error;
  }
  const char* text = nullptr;
  if (cupti().result_string(result, &text) != CUPTI_SUCCESS || text == nullptr) text = "unknown";
  error.what = std::string("the profiler failed: ") + text + " (" + call + ")";
  return error;
}

#define RIDGE_CUPTI_TRY(call)                                                   \
  do {                                                                          \
    if (const CUptiResult ridge_result = (call); ridge_result != CUPTI_SUCCESS) \
      return refusal(ridge_result, #call);                                      \
  } while (false)

/// A parameter block of CUPTI's, its size filled in.
template <class Params>
Params params_of(size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}
#define RIDGE_CUPTI_PARAMS(type) params_of<type>(type##_STRUCT_SIZE)

Result<void> library_present() {
  if (cupti().complete) return {};
  return Error{
      ErrorCode::unavailable,
      cupti().handle == nullptr ? "libcupti was not found" : "libcupti has no range profiler",
      "CUPTI", "install the CUDA toolkit's CUPTI, 12.8 or later"};
}

/// What knows the metrics of a kind of GPU and how to schedule them.
class Host {
 public:
  ~Host() {
    if (object_ == nullptr) return;
    auto params = RIDGE_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
    params.pHostObject = object_;
    cupti().host_deinitialize(&params);
  }
  Result<void> open(const char* chip, const uint8_t* availability) {
    auto params = RIDGE_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params);
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip;
    params.pCounterAvailabilityImage = availability;
    RIDGE_CUPTI_TRY(cupti().host_initialize(&params));
    object_ = params.pHostObject;
    return {};
  }
  Result<void> add(std::vector<const char*>* metrics) {
    auto params = RIDGE_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
    params.pHostObject = object_;
    params.ppMetricNames = metrics->data();
    params.numMetrics = metrics->size();
    RIDGE_CUPTI_TRY(cupti().add_metrics(&params));
    return {};
  }
  Result<std::vector<uint8_t>> config() {
    auto size = RIDGE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
    size.pHostObject = object_;
    RIDGE_CUPTI_TRY(cupti().config_size(&size));
    std::vector<uint8_t> image(size.configImageSize);
    auto get = RIDGE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
    get.pHostObject = object_;
    get.configImageSize = image.size();
    get.pConfigImage = image.data();
    RIDGE_CUPTI_TRY(cupti().config_image(&get));
    return image;
  }
  Result<std::vector<double>> values(const std::vector<uint8_t>& data,
                                     std::vector<const char*>* metrics) {
    std::vector<double> values(metrics->size(), NAN);
    auto params = RIDGE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
    params.pHostObject = object_;
    params.pCounterDataImage = data.data();
    params.counterDataImageSize = data.size();
    params.ppMetricNames = metrics->data();
    params.numMetrics = metrics->size();
    params.pMetricValues = values.data();
    RIDGE_CUPTI_TRY(cupti().evaluate(&params));
    return values;
  }

 private:
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

/// Those of gpu_metrics() that this kind of GPU has. Each is tried on a host of its own: after an
/// unknown name a host refuses every other (CUPTI 13.0).
Result<std::vector<const char*>> find_known(const char* chip, const uint8_t* availability) {
  std::vector<const char*> known;
  for (const std::string& metric : gpu_metrics()) {
    Host host;
    RIDGE_TRY_VOID(host.open(chip, availability));
    std::vector<const char*> one = {metric.c_str()};
    if (host.add(&one)) known.push_back(one.front());
  }
  return known;
}

/// Counts one range, over as many runs of it as the metrics need.
class Range {
 public:
  ~Range() {
    if (object_ == nullptr) return;
    auto params = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params);
    params.pRangeProfilerObject = object_;
    cupti().disable(&params);
  }
  Result<void> open(CUcontext context, const std::vector<uint8_t>& config,
                    std::vector<const char*>* metrics) {
    auto enable = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params);
    enable.ctx = context;
    RIDGE_CUPTI_TRY(cupti().enable(&enable));
    object_ = enable.pRangeProfilerObject;
    auto size = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = metrics->data();
    size.numMetrics = metrics->size();
    size.maxNumOfRanges = size.maxNumRangeTreeNodes = 1;
    RIDGE_CUPTI_TRY(cupti().data_size(&size));
    data.resize(size.counterDataSize);
    auto clear = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
    clear.pRangeProfilerObject = object_;
    clear.counterDataSize = data.size();
    clear.pCounterData = data.data();
    RIDGE_CUPTI_TRY(cupti().data_initialize(&clear));
    auto set = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params);
    set.pRangeProfilerObject = object_;
    set.configSize = config.size();
    set.pConfig = config.data();
    set.counterDataImageSize = data.size();
    set.pCounterDataImage = data.data();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = 1;
    set.numNestingLevels = set.minNestingLevel = 1;
    set.passIndex = 0;
    set.targetNestingLevel = 1;
    RIDGE_CUPTI_TRY(cupti().set_config(&set));
    return {};
  }
  Result<void> run(const std::function<Result<void>()>& work) {
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      RIDGE_TRY(const bool last, run_once(work));
      if (!last) continue;
      auto decode = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params);
      decode.pRangeProfilerObject = object_;
      RIDGE_CUPTI_TRY(cupti().decode(&decode));
      return {};
    }
    return Error{ErrorCode::unavailable, "the profiler asked for pass after pass", "CUPTI", ""};
  }

  std::vector<uint8_t> data;

 private:
  Result<bool> run_once(const std::function<Result<void>()>& work) {
    auto start = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params);
    start.pRangeProfilerObject = object_;
    RIDGE_CUPTI_TRY(cupti().start(&start));
    auto push = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params);
    push.pRangeProfilerObject = object_;
    push.pRangeName = "calls";
    RIDGE_CUPTI_TRY(cupti().push(&push));
    const Result<void> worked = work();
    const cudaError_t waited = cudaDeviceSynchronize();
    auto pop = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params);
    pop.pRangeProfilerObject = object_;
    RIDGE_CUPTI_TRY(cupti().pop(&pop));
    auto stop = RIDGE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params);
    stop.pRangeProfilerObject = object_;
    RIDGE_CUPTI_TRY(cupti().stop(&stop));
    if (!worked) return worked.error();
    RIDGE_CUDA_TRY(waited);
    return stop.isAllPassSubmitted != 0;
  }

  CUpti_RangeProfiler_Object* object_ = nullptr;
};

Result<std::vector<uint8_t>> read_availability() {
  auto params = RIDGE_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params);
  RIDGE_CUPTI_TRY(cupti().availability(&params));
  std::vector<uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  RIDGE_CUPTI_TRY(cupti().availability(&params));
  return image;
}

Result<CUcontext> current_context() {
  static const auto get = driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000);
  CUcontext context = nullptr;
  RIDGE_CUDA_TRY(cudaFree(nullptr));  // makes the context where there is none yet
  if (get == nullptr || get(&context) != CUDA_SUCCESS || context == nullptr) {
    return Error{ErrorCode::unavailable, "the driver has no current context", "CUPTI", ""};
  }
  return context;
}

std::string unit_of(const std::string& metric) {
  if (metric.find("pct") != std::string::npos) return "%";
  if (metric.find("sectors_per_request") != std::string::npos) return "sectors";
  if (metric.find("per_issue_active") != std::string::npos) return "warps";
  return metric.find("bytes") != std::string::npos ? "B" : "";
}

}  // namespace

Result<std::vector<std::string>> known_metrics(const std::string& chip) {
  RIDGE_TRY_VOID(library_present());
  RIDGE_TRY(const std::vector<const char*> known, find_known(chip.c_str(), nullptr));
  return std::vector<std::string>(known.begin(), known.end());
}

Result<std::vector<Counter>> count_gpu(int device, const std::function<Result<void>()>& work) {
  RIDGE_TRY_VOID(library_present());
  RIDGE_TRY(CUcontext context, current_context());
  auto initialize = RIDGE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params);
  RIDGE_CUPTI_TRY(cupti().initialize(&initialize));
  auto chip = RIDGE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params);
  chip.deviceIndex = static_cast<size_t>(device);
  RIDGE_CUPTI_TRY(cupti().chip_name(&chip));
  RIDGE_TRY(const std::vector<uint8_t> availability, read_availability());
  RIDGE_TRY(std::vector<const char*> metrics, find_known(chip.pChipName, availability.data()));
  if (metrics.empty()) {
    return Error{ErrorCode::unavailable, "this GPU has none of the counters that are read",
                 chip.pChipName, ""};
  }
  Host host;
  RIDGE_TRY_VOID(host.open(chip.pChipName, availability.data()));
  RIDGE_TRY_VOID(host.add(&metrics));
  RIDGE_TRY(const std::vector<uint8_t> config, host.config());
  Range range;
  RIDGE_TRY_VOID(range.open(context, config, &metrics));
  RIDGE_TRY_VOID(work());  // the first pass finds the caches as the others do
  RIDGE_TRY_VOID(range.run(work));
  RIDGE_TRY(const std::vector<double> values, host.values(range.data, &metrics));
  std::vector<Counter> counters;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) counters.push_back({metrics[i], values[i], unit_of(metrics[i])});
  }
  return counters;
}

}  // namespace ridge::measure

#else

namespace ridge::measure {

namespace {
Error no_headers() {
  return {ErrorCode::unavailable, "this worker was built without CUPTI's headers", "CUPTI",
          "install the CUDA toolkit's CUPTI, 12.8 or later, and build again"};
}
}  // namespace

Result<std::vector<std::string>> known_metrics(const std::string&) {
  return no_headers();
}
Result<std::vector<Counter>> count_gpu(int, const std::function<Result<void>()>&) {
  return no_headers();
}

}  // namespace ridge::measure

#endif

namespace ridge::measure {

/// Busy shares of the units that a kernel may be held back by, and what explains them: how many warps wait, for what, at
/// each instruction that is issued; how many sectors of 32 bytes a warp's access takes; bank conflicts. Of the tensor
/// pipe its active cycles are the share (88.7 % in a wgmma kernel at 70 % of the ceiling, H200); the
/// instructions that feed it reach 5.5 % there, and tell wgmma (gmma) from mma.sync.
const std::vector<std::string>& gpu_metrics() {
  static const std::vector<std::string> metrics = {
      "sm__throughput.avg.pct_of_peak_sustained_elapsed",
      "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
      "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
      "sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_elapsed",
      "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
      "lts__throughput.avg.pct_of_peak_sustained_elapsed",
      "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
      "lts__t_sector_hit_rate.pct",
      "l1tex__t_sector_hit_rate.pct",
      "sm__warps_active.avg.pct_of_peak_sustained_active",
      "smsp__issue_active.avg.pct_of_peak_sustained_active",
      "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
      "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
      "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
      "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio",
      "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
      "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
      "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
      "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
      "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
      "dram__bytes_read.sum",
      "dram__bytes_write.sum",
  };
  return metrics;
}

}  // namespace ridge::measure
