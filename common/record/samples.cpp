#include "common/record/samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace ridge {
namespace {

constexpr double kNotRead = NAN;

/// In the order in which those who measure put them, which is that of their bits.
constexpr const char* kFlags[] = {"stolen",           "clock_mismatch", "ungated", "gate_timeout",
                                  "below_resolution", "coarse",         "outlier"};
constexpr uint8_t kOdd = 0x80;  ///< another one is among them, or another order

std::vector<std::string> known_flags(uint8_t bits) {
  std::vector<std::string> flags;
  for (size_t bit = 0; bit < std::size(kFlags); ++bit) {
    if (bits & (1u << bit)) flags.emplace_back(kFlags[bit]);
  }
  return flags;
}

uint8_t bits_of(const std::vector<std::string>& flags) {
  unsigned bits = 0;
  for (const std::string& flag : flags) {
    const auto known = std::find(std::begin(kFlags), std::end(kFlags), flag);
    bits |= known == std::end(kFlags) ? kOdd : 1u << (known - std::begin(kFlags));
  }
  const auto known = static_cast<uint8_t>(bits);
  return known & kOdd || known_flags(known) != flags ? kOdd : known;
}

/// The column up to before sample `i`, where it has nothing yet.
template <class T>
void begin_column(std::vector<T>* column, size_t i, T nothing) {
  if (column->empty()) column->assign(i, nothing);
}

/// One more value, where there is a column or has to be one.
template <class T>
void add_to(std::vector<T>* column, size_t i, T value, T nothing, bool is_nothing) {
  if (column->empty() && is_nothing) return;
  begin_column(column, i, nothing);
  column->push_back(value);
}

void add_reading(std::vector<double>* column, size_t i, const std::optional<double>& value) {
  add_to(column, i, value.value_or(kNotRead), kNotRead, !value.has_value());
}

std::optional<double> reading(const std::vector<double>& column, size_t i) {
  return column.empty() || std::isnan(column[i]) ? std::nullopt : std::optional(column[i]);
}

template <class T>
void cut(std::vector<T>* column, size_t count) {
  if (column->size() > count) column->resize(count);
}

}  // namespace

Samples::Columns& Samples::columns() {
  return columns_ ? *columns_ : columns_.emplace();
}

Sample Samples::operator[](size_t i) const {
  Sample sample;
  sample.index = static_cast<int64_t>(i);
  sample.t_ns = t_ns(i);
  sample.cpu_ns = cpu_ns(i);
  sample.calls = calls(i);
  sample.flags = flags(i);
  if (!columns_) return sample;
  const Columns& all = *columns_;
  if (!all.index.empty()) sample.index = all.index[i];
  sample.sm_clock_hz = reading(all.sm_clock_hz, i);
  sample.temp_c = reading(all.temp_c, i);
  sample.power_w = reading(all.power_w, i);
  return sample;
}

std::vector<std::string> Samples::flags(size_t i) const {
  if (flags_.empty() || flags_[i] == 0) return {};
  return flags_[i] == kOdd ? columns_->odd_flags.at(i) : known_flags(flags_[i]);
}

std::vector<double> Samples::times_ns() const {
  std::vector<double> times;
  times.reserve(size());
  for (size_t i = 0; i < size(); ++i) times.push_back(t_ns(i));
  return times;
}

std::vector<Sample> Samples::from(size_t first) const {
  std::vector<Sample> some;
  some.reserve(size() - std::min(first, size()));
  for (size_t i = first; i < size(); ++i) some.push_back((*this)[i]);
  return some;
}

void Samples::push_back(const Sample& sample) {
  unpack();
  const size_t i = size();
  if (i == 0) calls_ = sample.calls;
  times_.push_back(sample.t_ns);
  times_.push_back(sample.cpu_ns);
  const bool is_in_place = sample.index == static_cast<int64_t>(i);
  set_flags(i, sample.flags);
  const bool is_plain = is_in_place && sample.calls == calls_ && !sample.sm_clock_hz &&
                        !sample.temp_c && !sample.power_w;
  if (!columns_ && is_plain) return;
  Columns& all = columns();
  if (all.index.empty() && !is_in_place) {
    for (size_t place = 0; place < i; ++place) all.index.push_back(static_cast<int64_t>(place));
  }
  if (!is_in_place || !all.index.empty()) all.index.push_back(sample.index);
  add_to(&all.calls, i, sample.calls, calls_, sample.calls == calls_);
  add_reading(&all.sm_clock_hz, i, sample.sm_clock_hz);
  add_reading(&all.temp_c, i, sample.temp_c);
  add_reading(&all.power_w, i, sample.power_w);
}

void Samples::append(std::span<const Sample> samples) {
  for (const Sample& sample : samples) push_back(sample);
}

void Samples::truncate(size_t count) {
  if (count >= size()) return;
  unpack();
  times_.resize(2 * count);
  cut(&flags_, count);
  if (!columns_) return;
  cut(&columns_->index, count), cut(&columns_->calls, count);
  columns_->odd_flags.erase(columns_->odd_flags.lower_bound(count), columns_->odd_flags.end());
  for (auto* column : {&columns_->sm_clock_hz, &columns_->temp_c, &columns_->power_w})
    cut(column, count);
}

void Samples::set_clock(size_t i, std::optional<double> sm_clock_hz) {
  if (!sm_clock_hz && (!columns_ || columns_->sm_clock_hz.empty())) return;
  auto& column = columns().sm_clock_hz;
  if (column.empty()) column.assign(size(), kNotRead);
  column[i] = sm_clock_hz.value_or(kNotRead);
}

void Samples::set_flags(size_t i, const std::vector<std::string>& flags) {
  if (flags.empty() && flags_.empty()) return;
  const uint8_t bits = bits_of(flags);
  flags_.resize(size());
  flags_[i] = bits;
  if (bits == kOdd)
    columns().odd_flags[i] = flags;
  else if (columns_)
    columns_->odd_flags.erase(i);
}

/// A clock counts whole nanoseconds, and a sample's time is those of its calls over their number.
void Samples::pack() {
  if (times_.empty()) return;
  std::vector<uint32_t> whole;
  whole.reserve(times_.size());
  for (size_t place = 0; place < times_.size(); ++place) {
    const auto calls_of_it = static_cast<double>(calls(place / 2));
    const double sum = std::round(times_[place] * calls_of_it);
    if (!(sum >= 0 && sum <= double(UINT32_MAX)) || sum / calls_of_it != times_[place]) return;
    whole.push_back(static_cast<uint32_t>(sum));
  }
  whole_ = std::move(whole);
  times_.clear();
}

void Samples::unpack() {
  if (whole_.empty()) return;
  std::vector<double> times;
  for (size_t place = 0; place < whole_.size(); ++place) times.push_back(time(place));
  times_ = std::move(times);
  whole_.clear();
}

void Samples::shrink() {
  pack();
  times_.shrink_to_fit(), whole_.shrink_to_fit(), flags_.shrink_to_fit();
  if (!columns_) return;
  columns_->index.shrink_to_fit(), columns_->calls.shrink_to_fit();
  for (auto* column : {&columns_->sm_clock_hz, &columns_->temp_c, &columns_->power_w})
    column->shrink_to_fit();
}

}  // namespace ridge
