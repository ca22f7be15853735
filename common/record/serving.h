// A queue of requests before one machine: what is asked, and what came of it at each load.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/record/json.h"
#include "common/record/types.h"

namespace ridge {

/// Each request brings a prompt that is in the cache already, and gets `tokens` tokens, one a step. A step is made
/// for all who are being served; who waits joins between two steps (Yu et al., Orca, OSDI 2022).
struct ServeAsked {
  int64_t batch_limit = 8;  ///< most requests in a step
  double wait_s = 0;        ///< an idle machine waits so long for more after the first
  int64_t requests = 300;   ///< at each load; from 299 on there is a p99
  int64_t prompt = 512;     ///< keys in the cache before the first token
  int64_t tokens = 16;      ///< of each request, at least 1
  double limit_s = 0.1;     ///< of the p99 of a request's latency
  int64_t seed = 1;         ///< of the arrivals
  std::vector<double>
      loads;  ///< requests a second; empty: chosen as shares of the offline throughput
  bool operator==(const ServeAsked&) const = default;
};

/// Of 0 requests none; as summarize_latency() has them, in seconds.
struct ServeTimes {
  std::optional<double> mean_s, p50_s, p95_s, p99_s;
};

/// What came of one load.
struct ServePoint {
  double load_per_s = 0;  ///< requests that arrive; 0: all at once (offline)
  double throughput_per_s = 0, tokens_per_s = 0;  ///< requests and tokens finished a second
  double mean_batch = 0;                          ///< requests in a step
  double busy = 0;                                ///< share of the time in which a step ran, 0 to 1
  int64_t steps = 0;
  double step_s = 0;       ///< mean
  ServeTimes wait;         ///< from arrival to the first step
  ServeTimes first_token;  ///< from arrival to the end of the first step
  ServeTimes latency;      ///< from arrival to the last token
  /// The machine keeps up: the load is below the offline throughput, and in the second half of the arrivals there was a
  /// moment at which no request waited. Else the queue grows for as long as the load lasts.
  bool sustained = true;
  bool meets = false;  ///< sustained, and the p99 of the latency is known and within the limit
};

struct Serving {
  int64_t request = 0;
  std::string kernel;
  Params params;  ///< of the step: heads, type, threads
  ServeAsked asked;
  ServePoint offline;              ///< all requests at once
  std::vector<ServePoint> points;  ///< loads ascending
  std::optional<double>
      server_per_s;      ///< the highest load found that meets the limit; none: no load did
  bool checked = false;  ///< the step's output against float64
  std::map<std::string, std::string> unavailable;  ///< field: why
};

void to_json(Json& json, const ServeAsked& v);
void from_json(const Json& json, ServeAsked& v);
void to_json(Json& json, const ServeTimes& v);
void from_json(const Json& json, ServeTimes& v);
void to_json(Json& json, const ServePoint& v);
void from_json(const Json& json, ServePoint& v);
void to_json(Json& json, const Serving& v);
void from_json(const Json& json, Serving& v);

}  // namespace ridge
