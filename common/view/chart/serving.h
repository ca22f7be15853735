// Latency against load: what a request waits for, where the queue runs away, and the load that a limit allows.
#pragma once

#include "common/record/serving.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

/// Lines of the p50, p95 and p99 of a request's latency and of the p50 of its first token, over the load; the
/// limit, the highest load that meets it, and the offline throughput. Null: a chart that says what to press.
ChartModel serving_chart(const Serving* serving);

/// "Server: 412 requests/s at a p99 within 50 ms; offline: 800 requests/s."
std::string serving_text(const Serving& serving);

}  // namespace ridge::chart
