// Run: `samples` lines without a JSON tree. A run of 10^6 samples has to open within a second; the
// tree alone takes longer than that. Reads exactly the compact form that dump_json() writes;
// anything else is left to the general parser.
#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "common/record/door.h"
#include "common/core/number_text.h"
#include "common/record/run.h"

namespace ridge {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() const { return at_ == end_; }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!std::string_view(at_, size_t(end_ - at_)).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  /// The text up to the last `c`, which is what comes next.
  bool skip_to_last(char c, std::string_view* skipped) {
    const std::string_view rest(at_, size_t(end_ - at_));
    const size_t last = rest.rfind(c);
    if (last == rest.npos) return false;
    *skipped = rest.substr(0, last);
    at_ += last;
    return true;
  }
  bool text(std::string_view* value) {
    if (!take('"')) return false;
    const char* first = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
    *value = {first, size_t(at_ - first)};
    return take('"');
  }
  bool whole(int64_t* value) {
    const auto parsed = std::from_chars(at_, end_, *value);
    at_ = parsed.ptr;
    return parsed.ec == std::errc{} && value_ends();
  }
  bool number(double* value) {
    if (take("null")) {
      *value = std::numeric_limits<double>::quiet_NaN();
      return value_ends();
    }
    if (digits(value)) return value_ends();
    // from_chars would also take "inf" and "nan", which JSON does not have.
    const char* digit = at_ != end_ && *at_ == '-' ? at_ + 1 : at_;
    if (digit == end_ || !is_digit(*digit)) return false;
    const auto parsed = number_from(at_, end_, value);
    at_ = parsed.ptr;
    return parsed.ec == std::errc{} && value_ends();
  }
  /// Most times are whole nanoseconds, of few enough digits to be exact: a third of from_chars' time.
  bool digits(double* value) {
    constexpr ptrdiff_t kMostDigits = 15;
    int64_t whole = 0;
    const char* digit = at_;
    for (; digit != end_ && is_digit(*digit) && digit - at_ < kMostDigits; ++digit)
      whole = 10 * whole + (*digit - '0');
    const bool is_whole = digit != at_ && digit != end_ && (*digit == ',' || *digit == '}');
    if (!is_whole) return false;
    at_ = digit;
    *value = static_cast<double>(whole);
    return true;
  }
  bool number(std::optional<double>* value) {
    if (take("null")) return value_ends();
    return number(&value->emplace());
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  bool value_ends() const { return at_ != end_ && (*at_ == ',' || *at_ == '}' || *at_ == ']'); }

  const char* at_;
  const char* end_;
};

/// {"name":value,...} : calls field(name) for each; false where anything is unexpected.
template <class Field>
bool scan_object(Scanner& in, Field field) {
  if (!in.take('{')) return false;
  do {
    std::string_view name;
    if (!in.text(&name) || !in.take(':') || !field(name)) return false;
  } while (in.take(','));
  return in.take('}');
}

template <class Element>
bool scan_list(Scanner& in, Element element) {
  if (!in.take('[')) return false;
  if (in.take(']')) return true;
  do {
    if (!element()) return false;
  } while (in.take(','));
  return in.take(']');
}

bool scan_sample(Scanner& in, Sample* sample) {
  return scan_object(in, [&](std::string_view name) {
    if (name == "t_ns") return in.number(&sample->t_ns);
    if (name == "cpu_ns") return in.number(&sample->cpu_ns);
    if (name == "index") return in.whole(&sample->index);
    if (name == "calls") return in.whole(&sample->calls);
    if (name == "sm_clock_hz") return in.number(&sample->sm_clock_hz);
    if (name == "temp_c") return in.number(&sample->temp_c);
    if (name == "power_w") return in.number(&sample->power_w);
    if (name != "flags") return false;
    return scan_list(in, [&] {
      std::string_view flag;
      if (!in.text(&flag)) return false;
      sample->flags.emplace_back(flag);
      return true;
    });
  });
}

struct SampleLine {
  int64_t version = 0, request = 0, series = -1;
  std::optional<double> t_s;
  std::string_view type, phase;
  std::string_view samples;  ///< from the list's bracket to before its end
};

/// The samples are the line's last list.
bool scan_line(Scanner in, SampleLine* line) {
  int64_t ignored = 0;
  const bool fits = scan_object(in, [&](std::string_view name) {
    if (name == "ridgepoint") return in.whole(&line->version);
    if (name == "request") return in.whole(&line->request);
    if (name == "series") return in.whole(&line->series);
    if (name == "seq") return in.whole(&ignored);
    if (name == "t_s") return in.number(&line->t_s);
    if (name == "type") return in.text(&line->type);
    if (name == "phase") return in.text(&line->phase);
    return name == "samples" && in.skip_to_last(']', &line->samples) && in.take(']');
  });
  return fits && in.at_end() && line->version == 1 && line->type == "samples" &&
         (line->phase == "call" || line->phase == "latency");
}

/// Straight into the series; what was there stays as it was where they cannot be read.
bool scan_samples(std::string_view list, Samples* samples, size_t* unusable) {
  const size_t before = samples->size();
  Scanner in(list);
  bool fits = in.take('[');
  for (bool is_first = true; fits && !in.at_end(); is_first = false) {
    Sample sample;
    fits = (is_first || in.take(',')) && scan_sample(in, &sample);
    if (!fits) break;
    if (is_usable(sample))
      samples->push_back(sample);
    else
      ++*unusable;
  }
  if (!fits) samples->truncate(before);
  return fits;
}

}  // namespace

bool Run::apply_sample_line(const std::string& line) {
  if (line.rfind("\"type\":\"samples\"") == std::string::npos) return false;
  SampleLine read;
  if (!scan_line(Scanner(line), &read)) return false;
  if (read.series < 0 || read.series >= kMostSeries) return false;
  Series* series = series_of(read.request, static_cast<int>(read.series));
  if (series == nullptr) return false;
  Samples& to = read.phase == "call" ? series->samples : series->latency_samples;
  const size_t before = to.size();
  size_t unusable = 0;
  if (!scan_samples(read.samples, &to, &unusable)) return false;
  for (; unusable > 0; --unusable) refuse(kUnusableSample);
  if (to.size() > before) took_samples(series, before == 0);
  if (read.t_s) {
    keep_moment({*read.t_s, read.request, static_cast<int>(to.size() - before),
                 static_cast<int16_t>(std::clamp<int64_t>(read.series, -1, kMostSeries))},
                read.phase);
  }
  return true;
}

}  // namespace ridge
