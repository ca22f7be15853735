#include "common/view/chart/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/diagnosis.h"
#include "common/record/params.h"

namespace ridge::chart {
namespace {

using ServePick = std::optional<double> (*)(const ServePoint&);

struct ServeLine {
  const char* name;
  const char* what;
  ServePick pick;
  Role role;
  Marker marker;
  bool dashed;
};

constexpr ServeLine kServeLines[] = {
    {"p50", "half of the requests were served within",
     [](const ServePoint& p) { return p.latency.p50_s; }, Role::series0, Marker::dot, false},
    {"p95", "95 % were served within", [](const ServePoint& p) { return p.latency.p95_s; },
     Role::series2, Marker::triangle, false},
    {"p99", "99 % were served within", [](const ServePoint& p) { return p.latency.p99_s; },
     Role::series1, Marker::diamond, false},
    {"first token, p50", "half had their first token within",
     [](const ServePoint& p) { return p.first_token.p50_s; }, Role::series3, Marker::square, true}};

std::string load_text(double per_s) {
  return format_quantity(per_s, "") + " requests/s";
}

std::string time_text(const std::optional<double>& seconds) {
  return seconds ? format_time_ns(*seconds * 1e9) : "–";
}

void add_serve_guides(const Serving& serving, double x_high, Plot* plot) {
  Guide limit{.kind = Guide::Kind::horizontal, .value = serving.asked.limit_s};
  limit.label = "limit of the p99, " + time_text(serving.asked.limit_s);
  limit.note = "What 99 % of the requests are to be served within.";
  limit.role = Role::limit, limit.dashed = true;
  plot->guides.push_back(limit);
  if (serving.server_per_s) {
    Guide server{.kind = Guide::Kind::vertical, .value = *serving.server_per_s};
    server.label = "server " + load_text(*serving.server_per_s);
    server.note =
        "The highest load found that the machine keeps up with, its p99 within the limit.";
    plot->guides.push_back(server);
  }
  if (serving.offline.throughput_per_s > x_high) return;
  Guide offline{.kind = Guide::Kind::vertical, .value = serving.offline.throughput_per_s};
  offline.label = "offline " + load_text(serving.offline.throughput_per_s);
  offline.note = "With all requests there at once, and nobody's latency asked for.";
  offline.dashed = true;
  plot->guides.push_back(offline);
}

void add_serve_table(const Serving& serving, ChartTable* table) {
  table->columns = {"Load, requests/s",
                    "Throughput, tokens/s",
                    "Batch, mean",
                    "Busy",
                    "Step, mean",
                    "Wait, mean",
                    "First token p50",
                    "First token p99",
                    "Latency p50",
                    "p95",
                    "p99",
                    "Within the limit"};
  const auto add = [&](const ServePoint& p) {
    table->rows.push_back({p.load_per_s > 0 ? format_quantity(p.load_per_s, "") : "all at once",
                           format_quantity(p.tokens_per_s, ""), fmt::format("{:.2f}", p.mean_batch),
                           fmt::format("{:.0f} %", 100 * p.busy), time_text(p.step_s),
                           time_text(p.wait.mean_s), time_text(p.first_token.p50_s),
                           time_text(p.first_token.p99_s), time_text(p.latency.p50_s),
                           time_text(p.latency.p95_s), time_text(p.latency.p99_s),
                           p.meets       ? "yes"
                           : p.sustained ? "no"
                                         : "no, the queue grows"});
  };
  for (const ServePoint& point : serving.points) add(point);
  add(serving.offline);
}

/// Whether the queue binds, and from which load on.
std::string binds_text(const Serving& serving) {
  const Diagnosis diagnosis = diagnose(serving);
  if (diagnosis.bottleneck == Bottleneck::not_sure)
    return "The queue does not bind: " + diagnosis.reason + ".";
  return "The " + bottleneck_text(diagnosis) + " binds " + diagnosis.reason + ": " +
         evidence_text(diagnosis) +
         "; what helps: " + lever_of(diagnosis.bottleneck, backend_of(serving.kernel)) + ".";
}

}  // namespace

std::string serving_text(const Serving& serving) {
  const ServePoint& offline = serving.offline;
  const std::string limit = "a p99 within " + time_text(serving.asked.limit_s);
  std::string text = serving.server_per_s
                         ? fmt::format("Server: {} at {}", load_text(*serving.server_per_s), limit)
                         : fmt::format("Server: no load that was tried has {}", limit);
  text += fmt::format("; offline: {}, {}", load_text(offline.throughput_per_s),
                      format_quantity(offline.tokens_per_s, "tokens/s"));
  if (serving.server_per_s) {
    text += fmt::format(" (server is {:.0f} % of it)",
                        100 * *serving.server_per_s / offline.throughput_per_s);
  }
  for (const auto& [what, why] : serving.unavailable) text += "; " + what + " unavailable: " + why;
  return text + ". " + binds_text(serving);
}

ChartModel serving_chart(const Serving* serving) {
  ChartModel model{.id = "queue"};
  model.plot = Plot{};
  Plot& plot = *model.plot;
  if (!serving || serving->points.empty()) {
    plot.empty_reason =
        "No queue was run before this rung yet: choose a rung of decode and press Serve.";
    model.summary = plot.empty_reason;
    return model;
  }
  const ServeAsked& asked = serving->asked;
  const double high = serving->points.back().load_per_s;
  plot.x = {.title = "Load", .unit = "requests/s", .low = 0, .high = high * 1.08};
  plot.y = {.title = "Time from arrival", .unit = "s", .scale = Scale::log};
  double least = asked.limit_s, most = asked.limit_s;
  for (const ServeLine& line : kServeLines) {
    Curve curve{.name = line.name, .role = line.role, .marker = line.marker, .line = true};
    curve.dashed = line.dashed;
    for (const ServePoint& point : serving->points) {
      const auto seconds = line.pick(point);
      if (!seconds || !(*seconds > 0)) continue;
      Datum datum{.x = point.load_per_s, .y = *seconds, .value_text = time_text(seconds)};
      datum.note =
          fmt::format("At {} {} {}; {:.1f} in a step, busy {:.0f} %.", load_text(point.load_per_s),
                      line.what, time_text(seconds), point.mean_batch, 100 * point.busy);
      least = std::min(least, *seconds), most = std::max(most, *seconds);
      curve.data.push_back(std::move(datum));
    }
    if (!curve.data.empty()) plot.curves.push_back(std::move(curve));
  }
  plot.y.low = least / 1.5, plot.y.high = most * 1.5;
  plot.name_ends = true;
  add_serve_guides(*serving, plot.x.high, &plot);
  add_serve_table(*serving, &model.table);
  model.summary = serving_text(*serving);
  model.legend = {
      serving_text(*serving),
      fmt::format("{}: {} requests of {} tokens a load, {} keys in the cache, {} at most "
                  "in a step, {} waited for more; each step is a real call",
                  serving->kernel, asked.requests, asked.tokens, asked.prompt, asked.batch_limit,
                  time_text(asked.wait_s))};
  return model;
}

}  // namespace ridge::chart
